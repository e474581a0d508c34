import type fc from 'fast-check';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { scripts } from '../scripts.ts';
import type { WorldOptions } from '../world/consumer.ts';
import type { PortPatch } from '../world/ports.ts';
import type { Script } from '../world/script.ts';

/** The service with one mistake in it. */
export type Mutant = {
  readonly name: string;
  /** At least one of these promises must break; others may break as well. */
  readonly breaks: readonly string[];
  /** Called for each run, because a mutant can hold state. */
  readonly options: () => WorldOptions;
  /** What is played to detect it. */
  readonly stories: fc.Arbitrary<Script>;
};

/** What a mistake changes: the ports of each function, or the world around the functions. */
type Mistake = PortPatch | WorldOptions | { readonly remembers: () => PortPatch };

/** A mistake that remembers something from one function of a run to the next. */
export function remembering(remembers: () => PortPatch): Mistake {
  return { remembers };
}

/** Changes each live endpoint that a function reads. */
export function reading(change: (endpoint: Endpoint) => Endpoint): PortPatch {
  return ({ readLiveEndpoint }) => ({
    readLiveEndpoint: async (customerId, webhookId) => {
      const endpoint = await readLiveEndpoint(customerId, webhookId);
      return endpoint === null ? null : change(endpoint);
    },
  });
}

/** Mistakes by the promise that each breaks (`<one> or <other>`: or by those it may break), and by their names. */
export function mutants(
  given: Readonly<Record<string, Readonly<Record<string, Mistake>>>>,
  stories = scripts,
): readonly Mutant[] {
  return Object.entries(given).flatMap(([promises, mistakes]) =>
    Object.entries(mistakes).map(([name, mistake]) => {
      return { name, breaks: promises.split(' or '), options: () => optionsOf(mistake), stories };
    }),
  );
}

function optionsOf(mistake: Mistake): WorldOptions {
  if (typeof mistake === 'function') return { patch: mistake };
  return 'remembers' in mistake ? { patch: mistake.remembers() } : mistake;
}
