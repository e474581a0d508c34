import { readEvent } from '#shared/contract/event-body.ts';
import { hour } from '../../support/values/builders.ts';
import type { Promises } from './promises.ts';
import { countBy, type Seen, statesOf } from './seen.ts';

const day = 24 * hour;

export const eventPromises = {
  /** As long as its result is stored: one that is reported again after it has expired is new. */
  *oneOccurrenceMakesOneEvent({ journal, world }) {
    const nameOf = (of: { customerId: string; subjectId: string }) => `${of.customerId} ${of.subjectId}`;
    const kept = (world.script.retentionDays ?? Number.POSITIVE_INFINITY) * day - 2 * journal.largestSkew;
    const unexpired = journal.fanOuts.filter((fanOut, index) => {
      const earlier = journal.fanOuts.slice(0, index).filter((other) => nameOf(other) === nameOf(fanOut));
      return earlier.every(({ at }) => fanOut.at - at < kept);
    });
    const made = countBy(unexpired, nameOf);
    for (const name of journal.emitted.map(nameOf))
      if (made.get(name) !== 1) yield `${name} made ${made.get(name) ?? 0} events`;
  },

  *twoEventsNeverShareAnId({ journal }) {
    for (const [id, count] of countBy(journal.fanOuts, ({ fanOut }) => fanOut.eventId))
      if (count > 1) yield `${id} is the id of ${count} events`;
  },

  /** An endpoint that was active while the function worked gets the event; one that was never active then does not. */
  *everyActiveEndpointGetsAnEventAndNoOther({ journal, world, endpoints }) {
    for (const { at, invocation, customerId, fanOut } of journal.fanOuts) {
      const told = new Set(fanOut.deliveries.map(({ webhookId }) => webhookId));
      for (const { id } of endpoints.filter((endpoint) => endpoint.customerId === customerId)) {
        const states = statesOf(world, { customerId, webhookId: id }, invocation?.startedAt ?? at, at);
        const active = states.filter((state) => state?.status === 'active').length;
        if (active === states.length && !told.has(id)) yield `${id} was active and did not get the event`;
        if (active === 0 && told.has(id)) yield `${id} was not active and got the event`;
      }
    }
  },

  *everyEndpointOfAnEventGetsOneDelivery({ journal, deliveries, eventIdOf }) {
    const stored = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
    for (const { fanOut, customerId } of journal.fanOuts) {
      for (const { webhookId, deliveryId } of fanOut.deliveries) {
        const delivery = stored.get(deliveryId);
        const fits = delivery?.webhookId === webhookId && delivery.customerId === customerId;
        if (delivery === undefined || !fits || eventIdOf(delivery) !== fanOut.eventId)
          yield `${webhookId} was to get ${fanOut.eventId} as ${deliveryId}: ${JSON.stringify(delivery)}`;
      }
    }
  },

  *everyDeliveryBelongsToAnEvent({ journal, deliveries, eventIdOf }) {
    const planned = new Set(journal.fanOuts.flatMap(({ fanOut }) => fanOut.deliveries.map((of) => of.deliveryId)));
    for (const delivery of deliveries) {
      const { id, replayOf, body } = delivery;
      if (replayOf === null && !planned.has(id) && readEvent(body).type !== 'webhook.test')
        yield `${id} of ${eventIdOf(delivery)} belongs to no event`;
    }
  },
} satisfies Promises<Seen>;
