import type { IntakeMessage } from '#shared/contract/messages/intake-message.ts';
import { type Awaited, isOver } from '#shared/operations/operator/await-deliveries.ts';
import { now, wait } from '#shared/runtime/system.ts';
import { type Output, show } from '../cli/output.ts';
import { percentile } from '../cli/percentile.ts';
import { terminalProgress } from '../cli/progress-line.ts';
import { nextCommand, type Options, type Target } from '../cli/target.ts';
import { duration, recordTable, when } from '../cli/text-table.ts';
import { awaitEvents } from './await-events.ts';
import { awaitedJson, throwUnlessDelivered } from './awaited-text.ts';
import type { SendOptions } from './emit-options.ts';
import { reasonOf, sendSafely } from './send-safely.ts';

type Many = Options &
  SendOptions & {
    readonly customer: string;
    readonly repeat: number;
    /** The Run that names the others. */
    readonly run: string;
    /** @param number from 1 */
    readonly newMessage: (number: number) => IntakeMessage;
  };

/** Sends many messages at a steady pace, and prints a summary. */
export async function emitMany(print: Output, target: Target, many: Many): Promise<void> {
  const line = terminalProgress(many);
  const say = (what: string, count: number) => line.show({ count, line: `${what} ${count} of ${many.repeat}` });
  const startedAt = now();
  const sent = await sendAll(target, many, (count) => say('Sent', count)).finally(line.end);
  const ms = now() - startedAt;
  const onLook = (seen: readonly Awaited[]) => say('Ended', seen.filter(isOver).length);
  const { wait: seconds = 0 } = many;
  const ended = seconds === 0 ? null : await awaitEvents(target.table, sent, seconds, onLook).finally(line.end);
  const figures = figuresOf(sent.length, ms, ended?.seen ?? null);
  const find = nextCommand(many, `deliveries find --customer ${many.customer} --status failed --since 1h`);
  const isFailing = figures.failed !== null && figures.failed > 0;
  show(print, many, figures, [...tableOf(figures), ...when(isFailing, `Next: ${find}`)]);
  if (ended !== null) throwUnlessDelivered(ended, seconds, nextCommand(many, 'dead-letters list'));
}

/** Milliseconds between two requests to the queue: those for a high rate take several messages. */
const tick = 100;

/** @throws Error when the queue refuses one, after which none is sent */
async function sendAll(target: Target, many: Many, onSent: (count: number) => void) {
  const { repeat, rate, run, newMessage } = many;
  const sent: IntakeMessage[] = [];
  const startedAt = now();
  for (;;) {
    const dueByNow = Math.floor(((now() - startedAt) * rate) / 1_000) + 1;
    const due = Array.from({ length: Math.min(repeat, dueByNow) - sent.length }, (_, index) =>
      newMessage(sent.length + index + 1),
    );
    const failed = await sendSafely(target, due);
    sent.push(...due);
    const [fault] = failed;
    if (fault !== undefined) {
      const count = `${sent.length - failed.length} of ${repeat} messages`;
      throw new Error(
        `Sent ${count}, then the queue took no more: ${reasonOf(fault)}. ` +
          `The same command with --run ${run} sends the rest, and makes no event twice`,
      );
    }
    onSent(sent.length);
    if (sent.length === repeat) return sent;
    await wait(tick);
  }
}

/** The summary as JSON; without a wait, nothing is known of the events. */
function figuresOf(sent: number, ms: number, awaited: readonly Awaited[] | null) {
  const rows = (awaited ?? []).flatMap((one) => awaitedJson(one).deliveries);
  const countOf = (state: string) => awaited && rows.filter(({ status }) => status === state).length;
  const posts = rows.flatMap(({ first_post_ms }) => first_post_ms ?? []).toSorted((a, b) => a - b);
  return {
    sent,
    duration_ms: ms,
    accepted: awaited?.filter(({ fanOut }) => fanOut !== null).length ?? null,
    delivered: countOf('delivered'),
    failed: countOf('failed'),
    pending: countOf('pending'),
    /** Milliseconds from the acceptance of an event to the start of the first attempt. */
    first_post_ms: { p50: percentile(posts, 0.5) ?? null, p99: percentile(posts, 0.99) ?? null },
  };
}

function tableOf(figures: ReturnType<typeof figuresOf>): readonly string[] {
  return recordTable([figures], {
    SENT: 'sent',
    TIME: ({ duration_ms }) => duration(duration_ms),
    ACCEPTED: 'accepted',
    DELIVERED: 'delivered',
    FAILED: 'failed',
    PENDING: 'pending',
    'FIRST POST': ({ first_post_ms: { p50, p99 } }) =>
      p50 === null ? null : `p50 after ${p50} ms, p99 after ${p99} ms`,
  });
}
