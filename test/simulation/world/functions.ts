import './environment.ts';
import { dueAttempt } from '#shared/contract/messages/delivery-message.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { replayStep } from '#shared/contract/messages/replay-message.ts';
import { deliverAttempts } from '#shared/operations/delivery/deliver-attempts.ts';
import { acceptIntake } from '#shared/operations/intake/accept-intake.ts';
import { runReplayStep } from '#shared/operations/replays/run-replay-step.ts';
import { queueHandler } from '#shared/runtime/queue-handler.ts';
import type { ReturnDeps } from '#shared/runtime/return-records.ts';
import { functions as deployed } from '../../../lib/functions/functions.ts';
import type { Ports } from './ports.ts';

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
  startBulkReplay: 'api/create-bulk-replay',
  cancelBulkReplay: 'api/cancel-bulk-replay',
  replayStep: 'queue/replay',
  createLink: 'operator/create-portal-link',
} as const;
/** An operator's command runs on the operator's machine, for as long as it takes. */
export type FunctionName = keyof typeof folders | 'operate';

/** Seconds after which a function is ended. */
export function timeoutOf(name: FunctionName): number {
  return name === 'operate' ? 3600 : deployed[folders[name]].timeout;
}

/** The adapters of the queue that a function consumes. */
export type QueuePorts = Pick<ReturnDeps, 'returnMessages'> & {
  readonly sendToDeadLetters: (body: string, reason: string) => Promise<void>;
};

const deliver = (queue: 'delivery' | 'slow_delivery') => (ports: Ports, own: QueuePorts) =>
  queueHandler(dueAttempt, { ...own, now: ports.now, queue, process: deliverAttempts(ports) });

/** The functions as their handlers assemble them: the real operations, with the adapters of one invocation. */
export const queueFunctions = {
  intake: (ports: Ports, own: QueuePorts) =>
    queueHandler(intakeMessage, { ...own, now: ports.now, queue: 'intake', process: acceptIntake(ports) }),
  deliver: deliver('delivery'),
  deliverSlow: deliver('slow_delivery'),
  replayStep: (ports: Ports, own: QueuePorts) => {
    const run = runReplayStep(ports);
    return queueHandler(replayStep, {
      ...own,
      now: ports.now,
      queue: 'replay',
      process: (steps, timeLeft) => Promise.all(steps.map((step) => run(step, timeLeft))),
    });
  },
} as const;
