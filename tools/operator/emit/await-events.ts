import type { Table } from '#shared/aws/clients.ts';
import { readDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { readReportFanOut, readRunFanOut } from '#shared/aws/table/deliveries/fan-outs.ts';
import type { IntakeMessage } from '#shared/contract/messages/intake-message.ts';
import { type Awaited, awaitDeliveries, type EndedWait } from '#shared/operations/operator/await-deliveries.ts';
import { now, wait } from '#shared/runtime/system.ts';
import { UsageError } from '../cli/usage-error.ts';

/** Waits until the deliveries of the events of messages, all of one customer and type, have ended. */
export async function awaitEvents(
  table: Table,
  messages: readonly IntakeMessage[],
  seconds: number,
  onLook?: (seen: readonly Awaited[]) => void,
): Promise<EndedWait> {
  const [first] = messages;
  if (first === undefined) return { seen: [], fault: null };
  const awaiting = awaitDeliveries({
    now,
    wait,
    readFanOut: subjectOf(first).read(table),
    readDelivery: (key) => readDelivery(table, key),
  });
  const ids = messages.map((message) => subjectOf(message).id);
  return await awaiting(first.customer_id, ids, now() + seconds * 1_000, onLook);
}

/** What the event of a message is about. @throws UsageError for a message that makes no event */
export function subjectOf(message: IntakeMessage) {
  if (message.type === 'run.settled') return { kind: 'Run', id: message.run.id, read: readRunFanOut };
  if (message.type === 'change_report.written')
    return { kind: 'Change Report', id: message.change_report.id, read: readReportFanOut };
  throw new UsageError(
    `${message.type} makes no event, so there is nothing to wait for: omit --wait, or send run.settled or change_report.written`,
  );
}
