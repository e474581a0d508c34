import type { BenchContext, Benchmark, BenchResult } from '../bench.ts';
import { startParties } from '../support/parties.ts';
import { startMeteredStack } from './metered-stack.ts';
import { type PlayedScenario, resultOf } from './result.ts';
import { scenarios } from './scenario.ts';

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
  const stack = await startMeteredStack(parts, parties, context);
  const first = await stack.play({ ...warmUp, audience: 'tenCustomers', events: 100 });
  await stack.play({ ...warmUp, audience: 'fanOut', events: 10, deliveries: 5 });
  for (const scenario of scenarios) {
    context.say(scenario.label);
    played.push({ scenario, ...(await stack.play(scenario)) });
  }
  return resultOf(played, first);
}
