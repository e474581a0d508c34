import type { PortPatch } from '../world/ports.ts';
import type { WorldOptions } from '../world/world.ts';

/** The service with one mistake in it. */
export type Mutant = {
  readonly name: string;
  /** At least one of these promises must break; others may break as well. */
  readonly breaks: readonly string[];
  /** Called for each run, because a mutant can hold state. */
  readonly options: () => WorldOptions;
};

export function patched(name: string, breaks: string | readonly string[], patch: () => PortPatch): Mutant {
  return { name, breaks: [breaks].flat(), options: () => ({ patch: patch() }) };
}
