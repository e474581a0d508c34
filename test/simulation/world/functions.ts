import './environment.ts';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { ReturnedMessage } from '#shared/aws/queues/return-messages.ts';
import { dueAttempt } from '#shared/contract/messages/delivery-message.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { replayStep } from '#shared/contract/messages/replay-message.ts';
import { deleteWebhook } from '#shared/operations/customer/delete-webhook.ts';
import { registerWebhook } from '#shared/operations/customer/register-webhook.ts';
import { replayDelivery } from '#shared/operations/customer/replay-delivery.ts';
import { rotateSecret } from '#shared/operations/customer/rotate-secret.ts';
import { auditDeliveries, type Span } from '#shared/operations/delivery/audit-deliveries.ts';
import { deliverAttempts } from '#shared/operations/delivery/deliver-attempts.ts';
import { sweepWaiting } from '#shared/operations/delivery/sweep-waiting.ts';
import { acceptIntake } from '#shared/operations/intake/accept-intake.ts';
import { cancelReplay } from '#shared/operations/replays/cancel-replay.ts';
import { runReplayStep } from '#shared/operations/replays/run-replay-step.ts';
import { startReplay } from '#shared/operations/replays/start-replay.ts';
import { queueHandler } from '#shared/runtime/queue-handler.ts';
import { functions as deployed } from '../../../lib/functions.ts';
import type { Io } from '../../support/memory/io.ts';
import type { Ports } from './ports.ts';

export type QueueHandler = (
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<SQSBatchResponse>;

/** Folders of the functions that are simulated; their timeouts are those of the deployment. */
export const folders = {
  intake: 'queue/intake',
  deliver: 'queue/deliver',
  deliverSlow: 'queue/deliver-slow',
  sweep: 'schedule/sweep',
  audit: 'schedule/audit',
  register: 'api/register-webhook',
  delete: 'api/delete-webhook',
  rotate: 'api/rotate-secret',
  replay: 'api/replay-delivery',
  startReplay: 'api/create-bulk-replay',
  cancelReplay: 'api/cancel-bulk-replay',
  replayStep: 'queue/replay',
  createLink: 'operator/create-portal-link',
} as const;
/** An operator's command runs on the operator's machine, for as long as it takes. */
export type FunctionName = keyof typeof folders | 'operate';

/** Seconds after which a function is ended. */
export function timeoutOf(name: FunctionName): number {
  return name === 'operate' ? 3600 : deployed[folders[name]].timeout;
}

/** The queue that a function consumes. */
export type ConsumedQueue = {
  /** Puts a message among the dead letters of the queue. */
  readonly bury: (body: string, reason: string) => void;
  /** Makes a received message visible again after a time in milliseconds. */
  readonly showAfter: (handle: string, milliseconds: number) => void;
};

const deliver =
  (queue: 'delivery' | 'slow_delivery') =>
  (ports: Ports, io: Io, consumed: ConsumedQueue): QueueHandler =>
    queueHandler(dueAttempt, {
      ...queuePorts(ports, io, consumed),
      queue,
      process: deliverAttempts(ports),
    });

/** The functions as their handlers assemble them: the real operations, with the adapters of one invocation. */
export const functions = {
  intake: (ports: Ports, io: Io, consumed: ConsumedQueue): QueueHandler =>
    queueHandler(intakeMessage, {
      ...queuePorts(ports, io, consumed),
      queue: 'intake',
      process: acceptIntake(ports),
    }),
  deliver: deliver('delivery'),
  deliverSlow: deliver('slow_delivery'),
  sweep: (ports: Ports) => () => sweepWaiting(ports)(() => true),
  audit: (ports: Ports) => (span: Span) => auditDeliveries(ports)({ ...span, wake: true }, () => true),
  register: registerWebhook,
  delete: deleteWebhook,
  rotate: rotateSecret,
  replay: replayDelivery,
  startReplay,
  cancelReplay,
  replayStep: (ports: Ports, io: Io, consumed: ConsumedQueue): QueueHandler => {
    const run = runReplayStep(ports);
    return queueHandler(replayStep, {
      ...queuePorts(ports, io, consumed),
      queue: 'replay',
      process: (steps, timeLeft) => Promise.all(steps.map((step) => run(step, timeLeft))),
    });
  },
} satisfies {
  readonly [F in Exclude<FunctionName, 'createLink' | 'operate'>]: (
    ports: Ports,
    io: Io,
    consumed: ConsumedQueue,
  ) => unknown;
};

function queuePorts({ now }: Ports, io: Io, { bury, showAfter }: ConsumedQueue) {
  return {
    now,
    sendToDeadLetters: (body: string, reason: string): Promise<void> =>
      io({ service: 'queue', name: 'bury' }, () => bury(body, reason)),
    returnMessages: (messages: readonly ReturnedMessage[]): Promise<void> =>
      io({ service: 'queue', name: `return ${messages.length}` }, () => {
        for (const { receiptHandle, waitSeconds } of messages) showAfter(receiptHandle, waitSeconds * 1000);
      }),
  };
}
