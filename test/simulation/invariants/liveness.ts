import { leavesNoRoomForReason } from '#shared/aws/queues/send-to-dead-letters.ts';
import { deliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import type { Journal } from '../world/journal.ts';
import type { DeadLetter } from '../world/queues.ts';
import type { World } from '../world/world.ts';
import type { Promises } from './promises.ts';
import type { Seen } from './seen.ts';

/** Check it while no function works. */
export const wakingPromises = {
  /**
   * It has a message, a dead letter or a place in the waiting index, or the audit will find it if its message was lost.
   */
  *everyPendingDeliveryWillBeWoken({ queues, table, journal }) {
    const messages = [queues.delivery, queues.slowDelivery].flatMap(bodiesIn);
    const awaited = new Set([...messages, ...journal.vanished].flatMap(attemptNamed));
    const intake = bodiesIn(queues.intake);
    for (const { delivery, dueAt } of table.deliveries) {
      const { id, status, attempts, customerId } = delivery;
      if (status !== 'pending' || dueAt !== null || journal.closings.has(customerId)) continue;
      if (awaited.has(`${id} ${attempts}`) || awaited.has(`${id} ${attempts + 1}`)) continue;
      const event = journal.fanOuts.find(({ fanOut }) => fanOut.deliveries.some(({ deliveryId }) => deliveryId === id));
      const isToBeQueued =
        attempts === 0 && event !== undefined && intake.some((body) => body.includes(`"${event.subjectId}"`));
      if (!isToBeQueued) yield `${id} is pending after ${attempts} attempts`;
    }
  },
} satisfies Promises<World>;

/** The messages of a queue, and its dead letters. */
export function bodiesIn(queue: World['queues']['intake']): readonly string[] {
  return [...queue.bodies, ...queue.deadLetters.map(({ body }) => body)];
}

function attemptNamed(body: string): readonly string[] {
  const message = body.endsWith('}') ? deliveryMessage.safeParse(JSON.parse(body)) : undefined;
  return message?.success === true ? [`${message.data.delivery_id} ${message.data.attempt}`] : [];
}

/** Whether a dead letter is a valid message, which an operator redrives. */
export function isGood({ body, reason }: DeadLetter, { ghosts, closings }: Journal): boolean {
  const isOfDeleted = [...closings.keys()].some((customerId) => body.includes(`"${customerId}"`));
  const isGhost = ghosts.some((ghost) => JSON.stringify(ghost) === body);
  return !isKnownAsMalformed({ body, reason }) && !isGhost && !isOfDeleted;
}

/** The operator commands treat a body that leaves no room for a reason as malformed. */
function isKnownAsMalformed({ body, reason }: DeadLetter): boolean {
  return reason !== null || leavesNoRoomForReason(body);
}

export const livenessPromises = {
  *everyDeliveryEnds({ deliveries }) {
    for (const delivery of deliveries) if (delivery.status === 'pending') yield JSON.stringify(delivery);
  },

  *noValidMessageStaysADeadLetter({ world, journal }) {
    for (const queue of [world.queues.intake, world.queues.delivery, world.queues.replay]) {
      for (const letter of queue.deadLetters) if (isGood(letter, journal)) yield `${letter.body} is a dead letter`;
    }
  },

  *garbageBecomesADeadLetterWithItsReason({ world, journal }) {
    for (const { queue, body } of journal.garbage) {
      const found = world.queues[queue].deadLetters.some(
        (letter) => letter.body === body && isKnownAsMalformed(letter),
      );
      if (!found) yield `${body} is not among the dead letters of ${queue} with a reason`;
    }
  },
} satisfies Promises<Seen>;
