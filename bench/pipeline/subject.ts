import type { BenchContext } from '../bench.ts';
import { type BenchEndpoint, type BenchStack, startBenchStack } from '../support/bench-stack.ts';
import type { Load, PlayedEvent } from '../support/load.ts';
import type { Parties } from '../support/parties.ts';
import type { Measured } from './measured.ts';

/** One build that is measured: a stack of its own with endpoints of its own. */
export type Subject = {
  readonly bench: BenchStack;
  readonly endpoints: readonly BenchEndpoint[];
  readonly play: (load: Pick<Load, 'recipients' | 'count' | 'pace'>) => Promise<readonly PlayedEvent[]>;
  /** Everything that was played so far. */
  readonly played: readonly PlayedEvent[];
  readonly measured: Measured;
};

/** Far above any delivery that was not given back to its queue. */
const patienceMs = 15_000;
const endpointCount = 10;

/** @param bundleFolder bundles of another build; `null` for the current one */
export async function startSubject(
  parts: AsyncDisposableStack,
  parties: Parties,
  context: BenchContext,
  bundleFolder: string | null,
): Promise<Subject> {
  const bench = parts.use(
    await startBenchStack(parties, context, {
      functionsIn: 'processes',
      ...(bundleFolder === null ? {} : { bundleFolder }),
    }),
  );
  const played: PlayedEvent[] = [];
  return {
    bench,
    endpoints: await bench.addEndpoints(endpointCount),
    play: async (load) => {
      const events = await parties.play(bench.load({ ...load, patienceMs }));
      played.push(...events);
      return events;
    },
    played,
    measured: { oneEndpoint: [], tenEndpoints: [], steady: [], pages: [] },
  };
}
