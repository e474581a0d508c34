import type { PortPatch } from '../world/ports.ts';
import type { WorldOptions } from '../world/world.ts';

/** The service with one mistake in it. */
export type Mutant = {
  readonly name: string;
  /** Promises of which one must be seen to break; others may break as well. */
  readonly breaks: readonly string[];
  /** Made for each run: a mistake may remember things. */
  readonly options: () => WorldOptions;
};

export function patched(name: string, breaks: string | readonly string[], patch: () => PortPatch): Mutant {
  return { name, breaks: [breaks].flat(), options: () => ({ patch: patch() }) };
}
