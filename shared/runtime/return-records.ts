import type { SQSRecord } from 'aws-lambda';
import type { DimensionsOf } from '#shared/contract/metrics.ts';
import { waitAfterReturn, waitUntilLater } from '#shared/contract/returned-messages.ts';
import type { Clock, Later } from '#shared/operations/ports.ts';
import { report } from './telemetry.ts';

export type ReturnDeps = {
  readonly now: Clock;
  /** The queue, as its metrics name it. */
  readonly queue: DimensionsOf<'oldestReturned'>['queue'];
  /** Makes messages visible again after the given seconds, instead of the visibility timeout of their queue. */
  readonly returnMessages: (
    messages: readonly { readonly receiptHandle: string; readonly waitSeconds: number }[],
  ) => Promise<void>;
};

/** Nothing is wrong with it, but its time comes later. */
export type LaterRecord = { readonly record: SQSRecord; readonly later: Later };

/**
 * Lets messages come back soon that could not be processed, and the others after their time. All in one request: after
 * the first of two, a message could come back while this function waits for the second. Never fails: a message whose
 * visibility stays as it is comes back after the visibility timeout of its queue.
 */
export async function returnRecords(
  deps: ReturnDeps,
  failed: readonly SQSRecord[],
  later: readonly LaterRecord[],
): Promise<void> {
  if (failed.length > 0) reportReturned(deps, failed);
  const soon = failed.flatMap(({ receiptHandle, attributes }) => {
    const waitSeconds = waitAfterReturn(Number(attributes.ApproximateReceiveCount));
    return waitSeconds === null ? [] : [{ receiptHandle, waitSeconds }];
  });
  const inTime = later.map(({ record: { receiptHandle, attributes }, later: { laterSeconds, spread } }) => ({
    receiptHandle,
    waitSeconds: waitUntilLater(laterSeconds, spread, Number(attributes.ApproximateReceiveCount)),
  }));
  if (soon.length + inTime.length === 0) return;
  try {
    await deps.returnMessages([...soon, ...inTime]);
  } catch (cause) {
    report({ name: 'step.failed', step: 'return', cause });
  }
}

/** Measures how old they are. */
function reportReturned({ now, queue }: ReturnDeps, records: readonly SQSRecord[]): void {
  const sentAt = Math.min(...records.map(({ attributes }) => Number(attributes.SentTimestamp)));
  report({
    name: 'messages.returned',
    returned: records.length,
    queue,
    oldest: Math.max(0, now() - sentAt),
  });
}
