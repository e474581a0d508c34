import type { RunningStack } from '../../local/stack/start.ts';

/** Milliseconds of CPU time by part of the pipeline. */
export type CpuTimes = {
  readonly intake: number;
  /** Both lanes. */
  readonly deliver: number;
  /** The stack's own process, with the SQS stand-in. */
  readonly runner: number;
  readonly dynamodb: number;
};

export const cpuParts = ['intake', 'deliver', 'runner', 'dynamodb'] as const;

/** CPU time since the start of the stack. The functions must run in processes. */
export async function readCpuTimes({ functionUsage, partUsage }: RunningStack): Promise<CpuTimes> {
  const [functions, { runner, dynamodb }] = await Promise.all([functionUsage(), partUsage()]);
  const sumOf = (prefix: string) =>
    functions.filter(({ folder }) => folder.startsWith(prefix)).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  return {
    intake: sumOf('queue/intake'),
    deliver: sumOf('queue/deliver'),
    runner: runner.cpuMs,
    dynamodb: dynamodb?.cpuMs ?? Number.NaN,
  };
}

/** CPU time from one reading to the next, for each of some events. */
export function cpuPerEvent(before: CpuTimes, after: CpuTimes, events: number): CpuTimes {
  const of = (part: (typeof cpuParts)[number]) => (after[part] - before[part]) / events;
  return { intake: of('intake'), deliver: of('deliver'), runner: of('runner'), dynamodb: of('dynamodb') };
}

/** The functions' share: what a deployed stage spends. */
export function handlerCpu({ intake, deliver }: CpuTimes): number {
  return intake + deliver;
}
