import { type SendMessageBatchCommand, type SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { decryptAnswer, encryptAnswer } from '#shared/aws/answer-cipher.ts';
import { scheduleAttempt } from '#shared/aws/attempt-scheduler.ts';
import { enqueueAttempts } from '#shared/aws/queues/delivery-queue.ts';
import { sendReplayStep } from '#shared/aws/queues/replay-queue.ts';
import type { Entries } from '#shared/aws/recent-cache.ts';
import { decryptSecret, encryptSecret } from '#shared/aws/secret-cipher.ts';
import type { Schedules } from '../../../tools/local/aws/scheduler/create-schedule.ts';
import { sqsActions } from '../../../tools/local/aws/sqs/sqs-actions.ts';
import type { SqsQueues } from '../../../tools/local/aws/sqs/sqs-queues.ts';
import { keysClient, schedulesClient, servedClient } from '../../support/aws/in-process-clients.ts';
import type { Io } from '../../support/table/io.ts';
import { testKeyArn } from '../../support/values/sealed-secrets.ts';
import type { Invocation } from './invocation.ts';
import type { Random } from './random.ts';
import type { QueueName } from './script.ts';

/** What imitates AWS beside the table, in virtual time. */
export type Services = {
  readonly sqs: SqsQueues;
  readonly schedules: Schedules;
  readonly secretCache: Entries<Promise<string>>;
  /** Makes the keys of answers, so that no other random choice depends on them. */
  readonly answerKeys: Random;
  makeScheduleToken(): string;
};

/** Holds the schedules of a world. */
export const scheduleGroup = 'retries';

/**
 * The secrets that a warm function remembers. Here all functions share one memory: so none waits for what another one
 * asked for, which may have died, and none forgets a secret that is too old by its own clock alone.
 */
export class WarmSecrets extends Map<string, { value: Promise<string>; readAt: { now: number; monotonic: number } }> {
  override set(...[name, entry]: Parameters<Entries<Promise<string>>['set']>): this {
    entry.value.then(
      () => super.set(name, entry),
      () => {},
    );
    return this;
  }

  override delete(): boolean {
    return false;
  }
}

/** The adapters of queues, schedules and keys, as a handler connects them. */
export function connectServices(services: Services, { io, now, monotonic }: Invocation) {
  const queues = queuesClient(services.sqs, io);
  const keys = keysClient(io);
  const schedules = schedulesClient(
    io,
    () => services.schedules,
    () => services.makeScheduleToken(),
  );
  const target = { group: scheduleGroup, roleArn: 'arn:aws:iam::000000000000:role/scheduler', queueUrls };
  const secretCache = { maxEntries: 10_000, timeToLive: 5 * 60_000, now, monotonic };
  return {
    encryptSecret: encryptSecret(keys, testKeyArn),
    decryptSecret: decryptSecret(keys, testKeyArn, { ...secretCache, entries: services.secretCache }),
    encryptAnswer: encryptAnswer(keys, testKeyArn, (size) => services.answerKeys.bytes(size)),
    decryptAnswer: decryptAnswer(keys, testKeyArn),
    enqueueAttempts: enqueueAttempts(queues, queueUrls),
    sendReplayStep: sendReplayStep(queues, 'replay' satisfies QueueName),
    scheduleAttempt: scheduleAttempt(schedules, target, now),
  };
}

/** The local SQS finds a queue by the end of its URL. */
const queueUrls = { ordinary: 'delivery', slow: 'slowDelivery' } as const satisfies Record<string, QueueName>;

/** The local SQS in this process, for what a function sends. */
function queuesClient(sqs: SqsQueues, io: Io): SQSClient {
  return servedClient(SQSClient.prototype, ({ input }: SendMessageCommand | SendMessageBatchCommand) => {
    const action = 'Entries' in input ? 'SendMessageBatch' : 'SendMessage';
    const name = 'Entries' in input ? `send ${input.Entries?.length}` : 'send step';
    return io({ service: 'queue', name }, () =>
      sqsActions[action]?.(sqs, input, { trace: undefined, signal: undefined }),
    );
  });
}
