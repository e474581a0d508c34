import type { SQSRecord } from 'aws-lambda';
import type { DimensionsOf } from '#shared/contract/metrics.ts';
import { waitAfterReturn } from '#shared/contract/returned-messages.ts';
import type { Clock } from '#shared/operations/ports.ts';
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

/**
 * Lets messages that could not be processed come back soon, and measures how old they are. Never fails: a message whose
 * visibility stays as it is comes back after the visibility timeout of its queue.
 */
export async function returnRecords(deps: ReturnDeps, records: readonly SQSRecord[]): Promise<void> {
  if (records.length === 0) return;
  const sentAt = Math.min(...records.map(({ attributes }) => Number(attributes.SentTimestamp)));
  const oldest = Math.max(0, deps.now() - sentAt);
  report({ name: 'messages.returned', returned: records.length, queue: deps.queue, oldest });
  const early = records.flatMap(({ receiptHandle, attributes }) => {
    const waitSeconds = waitAfterReturn(Number(attributes.ApproximateReceiveCount));
    return waitSeconds === null ? [] : [{ receiptHandle, waitSeconds }];
  });
  if (early.length === 0) return;
  try {
    await deps.returnMessages(early);
  } catch (cause) {
    report({ name: 'step.failed', step: 'return', cause });
  }
}
