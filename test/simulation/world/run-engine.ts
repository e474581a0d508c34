import { allEndpoints, customers } from './customers.ts';
import type { Action } from './script.ts';
import type { World } from './world.ts';

const createdAt = '2026-01-01T00:00:00.000Z';
const settledAt = '2026-01-01T00:00:09.000Z';

type Act<D extends Action['do']> = Extract<Action, { do: D }>;

/** What the Run engine puts on the intake queue. The same subject can be told of twice, and not in the same words. */
export function emit(world: World, { customer, about, subject, variant, times }: Act<'emit'>): void {
  const customerId = customers[customer % customers.length] ?? customers[0];
  const run = {
    id: `run_${subject}`,
    kind: 'search',
    status: variant === 0 ? 'completed' : 'failed',
    charge_usd: variant,
    tracker_id: variant === 0 ? null : 'trk_1',
    created_at: createdAt,
    settled_at: settledAt,
  };
  const change_report = { id: `chg_${subject}`, run_id: run.id, created_at: createdAt };
  const message =
    about === 'run'
      ? { type: 'run.settled', customer_id: customerId, run }
      : { type: 'change_report.written', customer_id: customerId, tracker_id: 'trk_1', change_report, run };
  const subjectId = about === 'run' ? run.id : change_report.id;
  const type = about === 'run' ? 'run.completed' : 'tracker.changed';
  world.journal.emitted.push({ customerId, type, subjectId });
  for (let time = 0; time < times; time += 1) world.send('intake', JSON.stringify(message));
}

/** A message of which nothing can be made, or one about a delivery that never was. */
export function sendGarbage(world: World, { queue, kind }: Act<'garbage'>): void {
  const { journal } = world;
  if (queue === 'delivery' && kind === 'ghost') {
    const { customerId = customers[0], id = 'whe_none' } = allEndpoints(world)[0] ?? {};
    const ghost = { customer_id: customerId, webhook_id: id, delivery_id: 'whd_ghost', attempt: 1 };
    journal.ghosts.push(ghost);
    world.send('delivery', JSON.stringify(ghost));
    return;
  }
  const body = kind === 'text' ? '{"type":' : '{"type":"run.settled"}';
  journal.garbage.push({ queue, body });
  world.send(queue, body);
}
