import type { SQSRecord } from 'aws-lambda';
import type { DimensionsOf } from '#shared/contract/metrics.ts';
import { waitAfterReturn, waitUntilLater } from '#shared/contract/returned-messages.ts';
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
  await returnGuarded(deps, early);
}

/** Lets messages come back after their time. Nothing is wrong with them, so this is no failure. */
export async function returnLater(
  deps: ReturnDeps,
  records: readonly { readonly record: SQSRecord; readonly seconds: number }[],
): Promise<void> {
  await returnGuarded(
    deps,
    records.map(({ record: { receiptHandle, attributes }, seconds }) => ({
      receiptHandle,
      waitSeconds: waitUntilLater(seconds, Number(attributes.ApproximateReceiveCount)),
    })),
  );
}

async function returnGuarded(
  { returnMessages }: ReturnDeps,
  messages: Parameters<ReturnDeps['returnMessages']>[0],
): Promise<void> {
  if (messages.length === 0) return;
  try {
    await returnMessages(messages);
  } catch (cause) {
    report({ name: 'step.failed', step: 'return', cause });
  }
}
