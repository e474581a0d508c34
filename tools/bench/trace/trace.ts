import { z } from 'zod';
import { type RunningService, serveAwsCalls, sessionOf } from '../../local/aws/aws-api.ts';
import type { InvocationRecord } from '../../local/aws/lambda/invocation-record.ts';
import type { CallService } from '../../local/stack/service-client.ts';
import type { BenchContext, Benchmark, BenchResult } from '../bench.ts';
import { spreadOf } from '../figures.ts';
import { tableCallName } from '../meter/table-call-name.ts';
import { startBenchStack } from '../support/bench-stack.ts';
import { sharedNow } from '../support/load.ts';
import { startParties } from '../support/parties.ts';
import { verifiedNote } from '../support/verify-delivered.ts';
import { type Step, stepsOf } from './steps.ts';

/** One event at a time: the next is sent when this one has long arrived. */
const load = { count: 200, pace: { perSecond: 10 } } as const;

const warmUp = { count: 1_000, pace: { perSecond: 100 } } as const;

const timeoutMs = 10_000;

export const trace: Benchmark = {
  name: 'trace',
  description: 'where the time from an accepted event to its POST goes; half a minute',
  isShort: true,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  await using parts = new AsyncDisposableStack();
  const steps: Step[] = [];
  context.say('Starting the local stack');
  const bench = await startBenchStack(parts, await startParties(parts, context.signal), context, {
    onInvocation: (record) => void steps.push(invocationStep(record)),
    wrapService: async (service, url, call) =>
      call === undefined ? url : parts.use(await timed(service, call, steps)).url,
  });
  const customers = await bench.addCustomers(10);
  context.say('Warming up');
  await bench.play({ ...warmUp, customers, timeoutMs });
  context.say('One event at a time');
  const events = await bench.play({ ...load, customers, timeoutMs });
  const traced = events.map((event) => stepsOf(event, steps));
  return resultOf(traced, verifiedNote(await bench.verify()));
}

function invocationStep({ folder, name, durationMs }: InvocationRecord): Step {
  const to = sharedNow();
  return { kind: 'invocation', caller: name, name: folder, from: to - durationMs, to };
}

const inputSchema = z.looseObject({});

/** Serves the calls of an emulator, and notes how long each took. */
async function timed(service: string, call: CallService, steps: Step[]): Promise<RunningService> {
  return await serveAwsCalls(0, async ({ request, action, body, signal }) => {
    const input = inputSchema.parse(body);
    const from = sharedNow();
    const answer = await call(action, input, { signal });
    const name = service === 'dynamodb' ? tableCallName(action, input) : action;
    const caller = sessionOf(request) ?? '';
    steps.push({ kind: 'call', caller, name, from, to: sharedNow() });
    return answer;
  });
}

function resultOf(traced: readonly (ReadonlyMap<string, number> | null)[], note: string): BenchResult {
  const whole = traced.filter((parts) => parts !== null);
  // An event that was sent beside another one, or again, has other calls.
  const forms = Map.groupBy(whole, (parts) => [...parts.keys()].join());
  const [usual = []] = [...forms.values()].toSorted((one, other) => other.length - one.length);
  const names = [...(usual[0]?.keys() ?? [])];
  const values = (name: string) => usual.map((parts) => parts.get(name) ?? 0);
  return {
    tables: [
      {
        title: 'Local stack: milliseconds from an accepted event to its POST, by part, ten events a second',
        columns: ['', 'p50', 'p99'],
        rows: names.map((name) => {
          const { p50, p99 } = spreadOf(values(name));
          return [name, p50, p99];
        }),
        notes: [
          `${usual.length} of ${traced.length} events had these calls in this order.`,
          'A call is the time in the emulator. What the client does for it counts as code of the function.',
          note,
        ],
      },
    ],
    budgets: [],
  };
}
