import { readEvent } from '#shared/contract/event-body.ts';
import { toDeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import { nextAttempt, pendingDelivery } from '#shared/domain/delivery.ts';
import { deliveryId } from '#shared/domain/derived-id.ts';
import { runCompletedBody } from '#shared/domain/event.ts';
import { makeId } from '#shared/domain/ids.ts';
import { hour, minute } from '../support/values/builders.ts';
import { customers, giveEndpoints } from './world/customers.ts';
import type { Script } from './world/script.ts';
import { startOfWorld, World } from './world/world.ts';

/** Events for one endpoint, all within a second. `answersIn`: milliseconds for each request, one at a time. */
export type Burst = {
  readonly events: number;
  readonly answersIn: number;
  readonly seed?: number;
  /** Milliseconds from the first event for which the table is down, after the endpoint was found to be slow. */
  readonly outageMs?: number;
};

export type BurstResult = {
  readonly delivered: number;
  readonly failed: number;
  /** Deliveries that needed only their first attempt. */
  readonly atOnce: number;
  /** Requests that the receiver worked for, also those that the service no longer waited for. */
  readonly worked: number;
  /** Milliseconds from the first event, or the end of the outage, to the end of the last delivery. */
  readonly lastMs: number;
};

export const bursts: readonly Burst[] = [
  { events: 50, answersIn: 1_000 },
  { events: 500, answersIn: 500 },
  { events: 200, answersIn: 1_000 },
  { events: 50, answersIn: 3_000 },
  { events: 160, answersIn: 5_000 },
  { events: 160, answersIn: 8_000 },
  { events: 50, answersIn: 50 },
  { events: 300, answersIn: 1_000, outageMs: hour },
];

/**
 * Plays a burst at a receiver that is well but slow: it answers one request at a time, in their order, and works on
 * those that were given up. Functions start as Lambda starts them: five for a queue, and five more each second.
 */
export async function playBurst({ events, answersIn, seed = 1, outageMs = 0 }: Burst): Promise<BurstResult> {
  let busyUntil = 0;
  let worked = 0;
  const world = new World(script(seed), {
    concurrency: (now) => 5 + Math.floor((now - startOfWorld) / 200),
    answerAt: (arrivesAt) => {
      worked += 1;
      busyUntil = Math.max(busyUntil, arrivesAt) + answersIn;
      return busyUntil;
    },
  });
  world.table.addCustomer(customers[0]);
  giveEndpoints(world, customers[0], 1);
  if (outageMs > 0) {
    for (const name of ['first', 'second', 'third']) queueEvent(world, name, 'delivery');
    await world.timeline.advanceTo(world.timeline.now + minute);
    world.beginOutage('table', outageMs);
  }
  const begin = world.timeline.now;
  for (let number = 0; number < events; number += 1) {
    world.timeline.at(begin + Math.floor((number * 1000) / events), () =>
      // The intake knows that the endpoint is slow.
      queueEvent(world, String(number), outageMs > 0 ? 'slowDelivery' : 'delivery'),
    );
  }
  const counted = begin + outageMs;
  await world.timeline.advanceTo(counted + 3 * hour);
  const deliveries = [...world.table.deliveries].map(({ delivery }) => delivery);
  return {
    delivered: deliveries.filter(({ status }) => status === 'delivered').length,
    failed: deliveries.filter(({ status }) => status === 'failed').length,
    atOnce: deliveries.filter(({ status, attempts }) => status === 'delivered' && attempts === 1).length,
    worked,
    lastMs: Math.max(...deliveries.map(({ endedAt }) => endedAt ?? Number.POSITIVE_INFINITY)) - counted,
  };
}

const script = (seed: number): Script => ({
  seed,
  endpoints: [1, 0],
  receivers: [['ok']],
  handshakes: ['ok'],
  actions: [],
  faults: [],
  stormLasts: 0,
  endsWithPowerCut: false,
  maxReceiveCount: 108,
});

function queueEvent(world: World, name: string, queue: 'delivery' | 'slowDelivery'): void {
  const { table, timeline, random } = world;
  const [endpoint] = table.liveEndpoints(customers[0]);
  if (endpoint === undefined) throw new Error('There is no endpoint');
  const { customerId, id: webhookId, deliveryPartitions } = endpoint;
  const run = { kind: 'search', status: 'completed', chargeUsd: 0, trackerId: null } as const;
  const head = { id: makeId('event', timeline.now, random.bytes(10)), createdAt: timeline.now };
  const body = runCompletedBody(head, { ...run, id: `run_${name}` }, 'https://api.example.com');
  const id = deliveryId(timeline.now, random.bytes(10), deliveryPartitions);
  const delivery = pendingDelivery({ id, customerId, webhookId, body, event: readEvent(body) });
  table.putDelivery(delivery, null);
  world.send(queue, JSON.stringify(toDeliveryMessage(nextAttempt(delivery))));
}
