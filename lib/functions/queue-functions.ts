import type { FunctionFolder } from '#shared/contract/functions.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { type FunctionSettings, queueFunctionTimeout } from './function-settings.ts';
import { items, onlyAttributes, onlyReading, retryScheduling, secretsKey, sendTo } from './grants.ts';

/**
 * How attempts at slow endpoints share functions. `batchWindow` is in seconds.
 *
 * With the five batches that Lambda collects at first, ten attempts a second make batches of ten, and more attempts make
 * larger ones. One attempt takes 6 CPU-ms, so the 0.145 vCPU of 256 MB take 0.8 seconds for twenty: the attempts of a
 * batch delay each other by less than a tenth of their time limit.
 */
export const slowLane = { batchSize: 20, batchWindow: 5 } as const;

/** Kinds of items that the intake stores. */
const stored = ['run', 'tracker', 'changeReport', 'creator', 'deliveries'] as const;

const consumer = {
  timeout: queueFunctionTimeout,
  systemLog: 'failures',
  optionalEnvironment: ['retentionDays'],
} as const satisfies Partial<FunctionSettings>;

/**
 * The functions of both lanes make attempts. They wait for receivers most of their time, and pay for memory while they
 * wait: 512 MB would cost $0.67 more for a million events, to send each 8 ms earlier, and the first ones after a pause
 * by a second. The setting `deliveryMemory` chooses. The process takes about 80 MB, and a batch of the largest events a
 * few more. `slowLane` gives the CPU time of a batch with this memory.
 */
const delivering = {
  ...consumer,
  postsToEndpoints: true,
  memory: 256,
  environment: [
    'tableName',
    'deliveryQueueUrl',
    'slowDeliveryQueueUrl',
    'deliveryDeadLetterQueueUrl',
    'secretsKeyArn',
    'scheduleGroup',
    'schedulerRoleArn',
    'serviceName',
    'standardWebhooks',
  ],
  optionalEnvironment: [...consumer.optionalEnvironment, 'noticesQueueUrl', 'consoleUrl', 'noticeAfter'],
  grants: [
    items(['customer'], 'GetItem', 'BatchGetItem'),
    items(['deliveries'], 'UpdateItem', 'PartiQLUpdate'),
    onlyReading(['last_at', tableSchema.expiresAt], items(['deliveries'], 'Query')),
    onlyAttributes(
      ['last_delivery_at', 'slow_since', 'slow_pace', 'slow_turn', 'failing_since', 'recovered_at'],
      items(['customer'], 'UpdateItem'),
    ),
    onlyAttributes(['delivered', 'failed'], items(['bulkReplays'], 'UpdateItem')),
    secretsKey('Decrypt'),
    ...retryScheduling,
    ...sendTo('deliveryDeadLetterQueue'),
  ],
} as const satisfies FunctionSettings;

/** What these functions may do besides in a stage that sends notices. */
export const noticeGrants = [
  onlyAttributes(
    ['failing_since', 'recovered_at', 'failure_streak', 'owed_notices'],
    items(['customer'], 'UpdateItem'),
  ),
  items(['deliveries'], 'Query'),
];

/** The functions that take messages from queues. */
export const queueFunctions = {
  // 6 MB of the smallest items take 12 seconds with 1,024 MB, and 24 with 512 MB. A million events cost $0.18 more for it.
  'queue/intake': {
    ...consumer,
    memory: 1024,
    environment: [
      'tableName',
      'intakeQueueUrl',
      'deliveryQueueUrl',
      'slowDeliveryQueueUrl',
      'intakeDeadLetterQueueUrl',
      'baseUrl',
    ],
    grants: [
      items(['customer'], 'GetItem', 'Query'),
      items(stored, 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem'),
      items(['deliveries'], 'PartiQLInsert'),
      items(['run'], 'PartiQLInsert', 'PartiQLUpdate'),
      ...sendTo('deliveryQueue', 'slowDeliveryQueue', 'intakeDeadLetterQueue'),
    ],
  },
  'queue/deliver': { ...delivering, grants: [...delivering.grants, ...sendTo('slowDeliveryQueue')] },
  'queue/deliver-slow': delivering,
  // A step stores up to a thousand replays, 25 at a time, so most of its time is CPU. It sends the message of the next
  // step, and the end of the job ends that chain.
  'queue/replay': {
    ...consumer,
    memory: 1024,
    invokesItself: true,
    environment: [
      'tableName',
      'deliveryQueueUrl',
      'slowDeliveryQueueUrl',
      'replayQueueUrl',
      'replayDeadLetterQueueUrl',
    ],
    grants: [
      items(['customer'], 'GetItem'),
      items(['deliveries', 'eventReplays'], 'Query', 'GetItem', 'PutItem', 'UpdateItem'),
      items(['deliveries'], 'BatchGetItem'),
      items(['bulkReplays'], 'GetItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'),
      ...sendTo('deliveryQueue', 'slowDeliveryQueue', 'replayQueue', 'replayDeadLetterQueue'),
    ],
  },
} as const satisfies Partial<Record<FunctionFolder, FunctionSettings>>;
