import type { Table } from '#shared/aws/clients.ts';
import { readDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { readReportFanOut, readRunFanOut } from '#shared/aws/table/deliveries/fan-outs.ts';
import type { IntakeMessage } from '#shared/contract/messages/intake-message.ts';
import {
  type Awaited,
  awaitDeliveries,
  type ReadFanOut,
} from '#shared/operations/operator/await-deliveries.ts';
import { now, wait } from '#shared/runtime/system.ts';

/** The Run or the Change Report that an event is about. */
type Subject = {
  readonly customerId: string;
  readonly id: string;
  /** Its kind and id, for a person. */
  readonly name: string;
  readonly readFanOut: (table: Table) => ReadFanOut;
};

/** @returns `null` for a message that makes no event */
export function eventSubject(message: IntakeMessage): Subject | null {
  const { customer_id: customerId } = message;
  if (message.type === 'run.settled') {
    const { id } = message.run;
    return { customerId, id, name: `Run ${id}`, readFanOut: readRunFanOut };
  }
  if (message.type !== 'change_report.written') return null;
  const { id } = message.change_report;
  return { customerId, id, name: `Change Report ${id}`, readFanOut: readReportFanOut };
}

/** Whether the event about a subject exists already. */
export async function isTold(table: Table, { customerId, id, readFanOut }: Subject): Promise<boolean> {
  return (await readFanOut(table)(customerId, id)) !== null;
}

/**
 * Waits for the deliveries of the event about a subject.
 *
 * @param until epoch milliseconds
 */
export function waitFor(
  table: Table,
  { customerId, id, readFanOut }: Subject,
  until: number,
): Promise<Awaited> {
  const ports = { now, wait, readFanOut: readFanOut(table), readDelivery: readDelivery(table) };
  return awaitDeliveries(ports)(customerId, id, until);
}
