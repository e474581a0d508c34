import { readFile } from 'node:fs/promises';
import { folderOf } from '../aws/lambda/invocation-record.ts';
import type { LambdaFunction } from '../aws/lambda/lambda-function.ts';
import type { HostUsage } from '../aws/lambda/protocol.ts';

/** What a function has used since it was loaded; zero before that. */
export type FunctionUsage = HostUsage & {
  /** As in the template: `<stage>: <folder>`. */
  readonly title: string;
  /** Folder of the handler, such as `queue/deliver`. */
  readonly folder: string;
};

/** What the other parts of a stack have used since they started. */
export type PartUsage = {
  /** This process without its function threads: gateway, pollers, SQS, Scheduler, KMS, receiver, and the caller. */
  readonly runner: HostUsage;
  /** The DynamoDB emulator; `null` without `/proc`, and for an emulator that the stack did not start. */
  readonly dynamodb: HostUsage | null;
};

export async function readFunctionUsage(
  functions: readonly LambdaFunction[],
): Promise<readonly FunctionUsage[]> {
  return await Promise.all(
    functions.map(async (each) => ({
      title: each.model.title,
      folder: folderOf(each.model),
      ...(await each.usage()),
    })),
  );
}

/** @param threads usage of the functions that run in threads of this process */
export async function readPartUsage(
  dynamodbPid: number | null,
  threads: readonly FunctionUsage[],
): Promise<PartUsage> {
  const { user, system } = process.cpuUsage();
  const inThreads = threads.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  return {
    runner: {
      cpuMs: (user + system) / 1_000 - inThreads,
      peakMegabytes: process.resourceUsage().maxRSS / 1_024,
    },
    dynamodb: dynamodbPid === null ? null : await readProcess(dynamodbPid),
  };
}

/** Linux reports processor time in ticks of 10 ms. */
const tickMs = 10;

async function readProcess(pid: number): Promise<HostUsage | null> {
  try {
    const [stat, status] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/status`, 'utf8'),
    ]);
    // The name in parentheses may contain spaces; user and system time are fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const peakKilobytes = Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs,
      peakMegabytes: peakKilobytes / 1_024,
    };
  } catch {
    return null;
  }
}
