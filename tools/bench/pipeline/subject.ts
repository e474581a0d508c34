import { join } from 'node:path';
import type { BenchContext } from '../bench.ts';
import { type BenchStack, startBenchStack } from '../support/bench-stack.ts';
import { startParties } from '../support/parties.ts';
import { type FunctionProcesses, functionProcesses } from './function-processes.ts';

/** One build that is measured: a stack of its own with endpoints of its own. */
export type Subject = {
  readonly bench: BenchStack;
  readonly cpuMs: FunctionProcesses['cpuMs'];
  readonly customers: readonly string[];
};

const customerCount = 10;

/** @param buildFolder bundles of the build */
export async function startSubject(
  parts: AsyncDisposableStack,
  context: BenchContext,
  buildFolder: string,
): Promise<Subject> {
  const parties = await startParties(parts, context.signal);
  const caFile = join(parties.stateDir, 'tls', 'ca.pem');
  const { bundleFolder, cpuMs } = await functionProcesses(parts, buildFolder, caFile);
  const bench = await startBenchStack(parts, parties, context, { bundleFolder });
  return { bench, cpuMs, customers: await bench.addCustomers(customerCount) };
}
