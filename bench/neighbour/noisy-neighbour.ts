import type { RunningStack } from '../../local/stack/start.ts';
import { measure } from './measure.ts';
import { reportMeasured, reportModel } from './report.ts';
import { deployed, type Scenario } from './scenario.ts';
import { withWorld } from './set-up.ts';

/**
 * Measures how much a slow endpoint with a backlog delays other endpoints.
 *
 * @returns the result as text
 */
export async function runNoisyNeighbour(
  scenario: Scenario,
  options: { readonly modelOnly: boolean; readonly say: (line: string) => void },
): Promise<string> {
  if (options.modelOnly) return reportModel(scenario);
  const { quickEndpoints } = scenario;
  return await withWorld({ quickEndpoints, say: options.say }, async (world) => {
    assertDeployed(world.stack);
    return reportMeasured(scenario, await measure(world, scenario));
  });
}

/** @throws Error when the numbers in the template differ from those of the model */
function assertDeployed({ info, model }: RunningStack): void {
  const queue = model.queues.find(({ url }) => url === info.delivery_queue_url);
  const mapping = model.mappings.find(({ queueArn }) => queueArn === queue?.arn);
  const { maximumConcurrency, batchSize } = mapping ?? {};
  if (maximumConcurrency === deployed.functions && batchSize === deployed.batchSize) return;
  throw new Error(
    `Cannot compare with a deployment: the template has ${maximumConcurrency} functions with batches of ` +
      `${batchSize}, the model ${deployed.functions} with ${deployed.batchSize}; change scenario.ts`,
  );
}
