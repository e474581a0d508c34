import * as z from 'zod';
import type { DeadLetter } from '#shared/aws/queues/dead-letter-queue.ts';
import { deliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import type { QueueName } from './dead-letter-queues.ts';
import { tableLines } from './output.ts';
import { parseJson } from './parse-json.ts';

/** A message with the queue in whose dead letters it is. */
export type Found = { readonly queue: QueueName; readonly letter: DeadLetter };

/** What a list tells of a message: not its body. */
export function summarize({ queue, letter }: Found) {
  return {
    queue,
    id: letter.id,
    sent_at: timestamp(letter.sentAt),
    receive_count: letter.receiveCount,
    subject: subjectOf(letter.body),
    reason: letter.reason,
  };
}

type Summary = ReturnType<typeof summarize>;

/** A list stays readable; `show` prints a reason whole. */
const longestCell = 100;

export function listLines(summaries: readonly Summary[]): readonly string[] {
  const rows = summaries.map(({ queue, id, sent_at, receive_count, subject, reason }) => [
    queue,
    id,
    sent_at,
    String(receive_count),
    subject === null ? null : shorten(subject),
    shorten(reason ?? 'tried too often'),
  ]);
  return tableLines(['QUEUE', 'ID', 'SENT', 'RECEIVED', 'SUBJECT', 'REASON'], rows);
}

const logOf: Readonly<Record<QueueName, string>> = { intake: 'queue/intake', delivery: 'queue/deliver' };

/** One message, whole. */
export function letterLines(found: Found): readonly string[] {
  const { queue, letter } = found;
  const { id, sent_at, receive_count, reason } = summarize(found);
  const why = reason ?? `tried too often while something of ours failed: see the log of ${logOf[queue]}`;
  return [
    `Message   ${printable(id)}`,
    `Queue     ${queue}`,
    `Sent      ${sent_at}`,
    `Received  ${receive_count} ${receive_count === 1 ? 'time' : 'times'}`,
    `Reason    ${printable(why)}`,
    'Body',
    printable(indented(letter.body)),
  ];
}

const typed = z.object({ type: z.string() });

/** The kind of an intake message, or which attempt of which delivery. */
function subjectOf(body: string): string | null {
  const message = parseJson(body);
  const due = deliveryMessage.safeParse(message);
  if (due.success) {
    return `${due.data.delivery_id} of ${due.data.webhook_id}, attempt ${due.data.attempt}`;
  }
  return typed.safeParse(message).data?.type ?? null;
}

/** What is not JSON, or nested deeper than can be written, stays as it is. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** A terminal must not act on what somebody sent; what it would act on is shown as JSON would write it. */
function printable(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

function shorten(text: string): string {
  return text.length > longestCell ? `${text.slice(0, longestCell)}…` : text;
}
