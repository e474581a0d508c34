import { leavesNoRoomForReason } from '#shared/aws/queues/send-to-dead-letters.ts';
import { deliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import type { DeadLetter } from '../../support/memory/queue.ts';
import type { Journal } from '../world/journal.ts';
import type { World } from '../world/world.ts';
import type { Seen } from './seen.ts';
import type { Verdict } from './verdict.ts';

/**
 * Check it while no function works: every pending delivery has a message, a dead letter or a place in the waiting index,
 * or the audit will find it if its message was lost.
 */
export function everyPendingDeliveryWillBeWoken({ world }: { readonly world: World }): Verdict {
  const { queues, table, journal } = world;
  const messages = [queues.delivery, queues.slowDelivery].flatMap(bodiesIn);
  const awaited = new Set([...messages, ...journal.vanished].flatMap(attemptNamed));
  const intake = bodiesIn(queues.intake);
  for (const { delivery, dueAt } of table.deliveries) {
    if (delivery.status !== 'pending' || dueAt !== null || journal.closings.has(delivery.customerId))
      continue;
    const isAwaited = [delivery.attempts, delivery.attempts + 1].some((attempt) =>
      awaited.has(`${delivery.id} ${attempt}`),
    );
    if (isAwaited) continue;
    const subjectId = journal.fanOuts.find(({ fanOut }) =>
      fanOut.deliveries.some(({ deliveryId }) => deliveryId === delivery.id),
    )?.subjectId;
    const isToBeQueued = delivery.attempts === 0 && subjectId !== undefined;
    if (!isToBeQueued || !intake.some((body) => body.includes(`"${subjectId}"`)))
      return `${delivery.id} is pending after ${delivery.attempts} attempts`;
  }
  return null;
}

function bodiesIn(queue: World['queues']['intake']): readonly string[] {
  return [...queue.bodies, ...queue.deadLetters.map(({ body }) => body)];
}

function attemptNamed(body: string): readonly string[] {
  const message = body.endsWith('}') ? deliveryMessage.safeParse(JSON.parse(body)) : undefined;
  return message?.success === true ? [`${message.data.delivery_id} ${message.data.attempt}`] : [];
}

function everyDeliveryEnds({ deliveries }: Seen): Verdict {
  const stuck = deliveries.find(({ status }) => status === 'pending');
  return stuck === undefined ? null : JSON.stringify(stuck);
}

function noValidMessageStaysADeadLetter({ world, journal }: Seen): Verdict {
  for (const queue of [world.queues.intake, world.queues.delivery, world.queues.replay]) {
    const lost = queue.deadLetters.find((letter) => isGood(letter, journal));
    if (lost !== undefined) return `${lost.body} is a dead letter`;
  }
  return null;
}

function garbageBecomesADeadLetterWithItsReason({ world, journal }: Seen): Verdict {
  for (const { queue, body } of journal.garbage) {
    const found = world.queues[queue].deadLetters.some(
      (letter) => letter.body === body && isKnownAsMalformed(letter),
    );
    if (!found) return `${body} is not among the dead letters of ${queue} with a reason`;
  }
  return null;
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

export const livenessPromises = [
  everyDeliveryEnds,
  noValidMessageStaysADeadLetter,
  garbageBecomesADeadLetterWithItsReason,
];
