import * as z from 'zod';
import { deliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import { parseJson } from '../cli/parse-json.ts';
import { counted, recordTable, when } from '../cli/text-table.ts';
import type { Found, Held, QueueName } from './dead-letter-queues.ts';

/** A message without its body, for lists. */
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

/** Maximum characters per cell of a list; `show` prints the whole text. */
const maxCellLength = 100;

export function listLines(summaries: readonly Summary[]): readonly string[] {
  return recordTable(summaries, {
    QUEUE: 'queue',
    ID: 'id',
    SENT: 'sent_at',
    RECEIVED: 'receive_count',
    SUBJECT: ({ subject }) => subject && shorten(subject),
    REASON: ({ reason }) => shorten(reason ?? 'tried too often'),
  });
}

export function heldLines(queues: readonly Held[]): readonly string[] {
  return queues.flatMap(({ queue, heldElsewhere: held }) =>
    when(held > 0, `${queue}: another command holds about ${held} more; try again in a few minutes`),
  );
}

const logOf: Readonly<Record<QueueName, string>> = {
  intake: 'queue/intake',
  delivery: 'queue/deliver or queue/deliver-slow',
  replay: 'queue/replay',
};

/** One message in full. */
export function letterLines(found: Found): readonly string[] {
  const { queue, letter } = found;
  const { id, sent_at, receive_count, reason } = summarize(found);
  const why = reason ?? `tried too often while the service failed; see the log of ${logOf[queue]}`;
  return [
    `Message   ${printable(id)}`,
    `Queue     ${queue}`,
    `Sent      ${sent_at}`,
    `Received  ${counted(receive_count, 'time')}`,
    `Reason    ${printable(why)}`,
    'Body',
    printable(indented(letter.body)),
  ];
}

const typed = z.object({ type: z.string() });

/** The type of an intake message, or the attempt of a delivery message. */
function subjectOf(body: string): string | null {
  const message = parseJson(body);
  const due = deliveryMessage.safeParse(message);
  if (due.success) {
    return `${due.data.delivery_id} of ${due.data.webhook_id}, attempt ${due.data.attempt}`;
  }
  return typed.safeParse(message).data?.type ?? null;
}

/** Returns a body unchanged when it is not JSON or too deeply nested to format. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** Writes control characters as JSON escapes, so that the terminal does not interpret them. */
function printable(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

function shorten(text: string): string {
  return text.length > maxCellLength ? `${text.slice(0, maxCellLength)}…` : text;
}
