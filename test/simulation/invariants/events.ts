import { readEvent } from '#shared/contract/event-body.ts';
import type { FanOutStored } from '../world/journal.ts';
import { countBy, type Seen } from './seen.ts';
import type { Verdict } from './verdict.ts';

function oneOccurrenceMakesOneEvent({ journal }: Seen): Verdict {
  const nameOf = (of: { customerId: string; subjectId: string }) => `${of.customerId} ${of.subjectId}`;
  const made = countBy(journal.fanOuts, nameOf);
  const missing = journal.emitted.find((emitted) => made.get(nameOf(emitted)) !== 1);
  if (missing === undefined) return null;
  return `${nameOf(missing)} made ${made.get(nameOf(missing)) ?? 0} events`;
}

function twoEventsNeverShareAnId({ journal }: Seen): Verdict {
  for (const [id, count] of countBy(journal.fanOuts, ({ fanOut }) => fanOut.eventId))
    if (count > 1) return `${id} is the id of ${count} events`;
  return null;
}

/** An endpoint that was active while the function worked gets the event; one that was never active then does not. */
function everyActiveEndpointGetsAnEventAndNoOther({ journal, world, endpoints }: Seen): Verdict {
  for (const stored of journal.fanOuts) {
    const told = new Set(stored.fanOut.deliveries.map(({ webhookId }) => webhookId));
    for (const { id, customerId } of endpoints) {
      if (customerId !== stored.customerId) continue;
      const versions = world.table.versionsOf(customerId, id)?.within(...span(stored)) ?? [];
      const active = versions.filter((version) => version?.status === 'active').length;
      if (active === versions.length && !told.has(id)) return `${id} was active and did not get the event`;
      if (active === 0 && told.has(id)) return `${id} was not active and got the event`;
    }
  }
  return null;
}

function span({ at, invocation }: FanOutStored): [number, number] {
  return [invocation?.startedAt ?? at, at];
}

function everyEndpointOfAnEventGetsOneDelivery({ journal, deliveries, eventIdOf }: Seen): Verdict {
  const stored = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  for (const { fanOut, customerId } of journal.fanOuts) {
    for (const { webhookId, deliveryId } of fanOut.deliveries) {
      const delivery = stored.get(deliveryId);
      const fits = delivery?.webhookId === webhookId && delivery.customerId === customerId;
      if (delivery === undefined || !fits || eventIdOf(delivery) !== fanOut.eventId)
        return `${webhookId} was to get ${fanOut.eventId} as ${deliveryId}: ${JSON.stringify(delivery)}`;
    }
  }
  return null;
}

function everyDeliveryBelongsToAnEvent({ journal, deliveries, eventIdOf }: Seen): Verdict {
  const planned = new Set(
    journal.fanOuts.flatMap(({ fanOut }) => fanOut.deliveries.map((of) => of.deliveryId)),
  );
  const odd = deliveries.find(
    ({ id, replayOf, body }) =>
      replayOf === null && readEvent(body).type !== 'webhook.test' && !planned.has(id),
  );
  return odd === undefined ? null : `${odd.id} of ${eventIdOf(odd)} belongs to no event`;
}

export const eventPromises = [
  oneOccurrenceMakesOneEvent,
  twoEventsNeverShareAnId,
  everyActiveEndpointGetsAnEventAndNoOther,
  everyEndpointOfAnEventGetsOneDelivery,
  everyDeliveryBelongsToAnEvent,
];
