import type { BenchContext, Benchmark, BenchResult } from '../bench.ts';
import { startParties } from '../support/parties.ts';
import { startMeteredStack } from './metered-stack.ts';
import { type PlayedScenario, resultOf } from './result.ts';
import { failing, scenarios } from './scenario.ts';

/** The waits of 10 and 50 minutes become 0.5 and 2.5 seconds. */
const failingTimeScale = 1_200;

export const units: Benchmark = {
  name: 'units',
  description: 'what AWS bills for an event, by service and operation, against the floor; two minutes',
  isShort: true,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  await using parts = new AsyncDisposableStack();
  const parties = parts.use(await startParties(context.signal));
  const played: PlayedScenario[] = [];
  const [warmUp] = scenarios;
  if (warmUp === undefined) throw new Error('Cannot measure: there is no scenario');

  context.say('Starting the local stack');
  const stack = await startMeteredStack(parts, parties, context, 1);
  const first = await stack.play({ ...warmUp, audience: 'tenCustomers', events: 100 });
  await stack.play({ ...warmUp, audience: 'fanOut', events: 10, deliveries: 5 });
  for (const scenario of scenarios) {
    context.say(scenario.label);
    played.push({ scenario, ...(await stack.play(scenario)) });
  }
  context.say(failing.label);
  const hasty = await startMeteredStack(parts, parties, context, failingTimeScale);
  await hasty.play({ ...failing, events: 10 });
  played.push({ scenario: failing, ...(await hasty.play(failing)) });
  return resultOf(played, first);
}
