import { batchQueue } from '#shared/aws/queues/intake-queue.ts';
import { wait } from '#shared/runtime/system.ts';
import { type IntakeMessage, type NotSent, sendMessages } from '../../../packages/producer/intake.ts';
import { explainFailure } from '../cli/explain-failure.ts';
import type { Target } from '../cli/target.ts';

const tries = 3;
/** Milliseconds. */
const pause = 100;

/**
 * Sends messages, and again those of which the queue's answer was lost or which it did not take: each makes its event
 * once, however often it arrives.
 *
 * @returns what was not sent, or of which that is unknown
 */
export async function sendSafely(
  { queues, intakeQueueUrl }: Target,
  messages: readonly IntakeMessage[],
): Promise<readonly NotSent[]> {
  let open = messages;
  for (let attempt = 1; ; attempt += 1) {
    const { failed } = await sendMessages(batchQueue(queues), intakeQueueUrl, open);
    const isFinal = failed.some(({ senderFault }) => senderFault);
    if (failed.length === 0 || isFinal || attempt === tries) return failed;
    open = failed.map(({ message }) => message);
    await wait(pause * attempt);
  }
}

/** Why a message was not sent, for a person. */
export function reasonOf({ code, reason }: NotSent): string {
  return explainFailure(Object.assign(new Error(`${code}: ${reason}`), { name: code }));
}
