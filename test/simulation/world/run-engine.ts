import { maxMessageBytes } from '#shared/aws/queues/send-to-dead-letters.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { type Acts, allEndpoints, customerAt, customers } from './customers.ts';

/** The contents of a message beyond its subject. Messages about one subject can differ in them. */
const tellings = [
  { status: 'completed', charge_usd: 0, tracker_id: null, created_at: '2026-01-01T00:00:00.000Z' },
  { status: 'failed', charge_usd: 1, tracker_id: 'trk_1', created_at: '2026-01-01T00:00:00.000Z' },
  { status: 'completed', charge_usd: 0.1, tracker_id: 'trk_2', created_at: '2025-12-31T23:59:59.999Z' },
  // The last instant that has four digits for its year, and the next one, which is malformed.
  { status: 'partial', charge_usd: 1e21, tracker_id: null, created_at: '9999-12-31T09:59:59.999-14:00' },
  { status: 'partial', charge_usd: 5e-324, tracker_id: null, created_at: '9999-12-31T23:59:59-14:00' },
] as const;

export const variants = tellings.length;

const garbage = {
  text: '{"type":',
  ghost: '{"type":"run.settled"}',
  /** The largest message that a queue accepts. */
  full: '\u001a'.repeat(maxMessageBytes),
} as const;

export const engineActs = {
  /** Sends messages of the Run engine to the intake queue. */
  emit: (world, { customer, about, subject, variant, times }) => {
    const customerId = customerAt(customer);
    const telling = tellings[variant % variants] ?? tellings[0];
    const { created_at } = telling;
    const run = { id: `run_${subject}`, kind: 'search', settled_at: '2026-01-01T00:00:09.000Z', ...telling };
    const change_report = { id: `chg_${subject}`, run_id: run.id, created_at };
    const tracker_id = telling.tracker_id ?? 'trk_1';
    const message =
      about === 'run'
        ? { type: 'run.settled', customer_id: customerId, run }
        : { type: 'change_report.written', customer_id: customerId, tracker_id, change_report, run };
    const body = JSON.stringify(message);
    if (intakeMessage.safeParse(message).success) {
      const subjectId = about === 'run' ? run.id : change_report.id;
      world.journal.emitted.push({ customerId, subjectId });
    } else {
      world.journal.garbage.push({ queue: 'intake', body });
    }
    for (let time = 0; time < times; time += 1) world.send('intake', body);
  },

  /** A malformed message, or a message about a delivery that never existed. */
  garbage: (world, { queue, kind }) => {
    const { journal } = world;
    if ((queue === 'delivery' || queue === 'slowDelivery') && kind === 'ghost') {
      const { customerId = customers[0], id = 'whe_none' } = allEndpoints(world)[0] ?? {};
      const ghost = { customer_id: customerId, webhook_id: id, delivery_id: 'whd_ghost', attempt: 1 };
      journal.ghosts.push(ghost);
      world.send(queue, JSON.stringify(ghost));
      return;
    }
    const body = garbage[kind];
    journal.garbage.push({ queue, body });
    world.send(queue, body);
  },
} satisfies Acts;
