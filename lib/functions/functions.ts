import { type BundledFolder, type FunctionFolder, smokeFunctionFolder } from '#shared/contract/functions.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { type FunctionSettings, queueFunctionTimeout, request } from '../settings/function-settings.ts';
import { apiFunctions } from './api-functions.ts';
import { bulkReplayFunctions } from './bulk-replay-functions.ts';
import {
  countMessages,
  items,
  onlyAttributes,
  onlyReading,
  retryScheduling,
  secretsKey,
  sendTo,
} from './grants.ts';

/**
 * How attempts at slow endpoints share functions. `batchWindow` is in seconds.
 *
 * With the five batches that Lambda collects at first, ten attempts a second make batches of ten, and more attempts make
 * larger ones. One attempt takes 6 CPU-ms, so the 0.145 vCPU of 256 MB take 0.8 seconds for twenty: the attempts of a
 * batch delay each other by less than a tenth of their time limit.
 */
export const slowLane = { batchSize: 20, batchWindow: 5 } as const;

/** Kinds of items that the intake stores, and the customer that owns them. */
const stored = ['customer', 'run', 'tracker', 'changeReport', 'creator', 'deliveries'] as const;

/** The functions of both lanes make attempts. */
const delivering = {
  timeout: queueFunctionTimeout,
  systemLog: 'failures',
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
  optionalEnvironment: ['retentionDays'],
  grants: [
    items(['customer'], 'GetItem'),
    items(['deliveries'], 'UpdateItem'),
    onlyReading(['last_at', tableSchema.expiresAt], items(['deliveries'], 'Query')),
    onlyAttributes(['last_delivery_at', 'slow_since'], items(['customer'], 'UpdateItem')),
    secretsKey('Decrypt'),
    ...retryScheduling,
    sendTo('deliveryDeadLetterQueue'),
  ],
} as const satisfies Partial<FunctionSettings>;

/**
 * A transaction needs the permissions of its individual writes. No function can create a key or a connection: only the
 * operator writes them. One creates portal links, which end.
 */
export const functions: Readonly<Record<FunctionFolder, FunctionSettings>> = {
  ...apiFunctions,
  // 6 MB of the smallest items take 12 seconds with 1,024 MB, and 24 with 512 MB. A million events cost $0.18 more for it.
  'queue/intake': {
    memory: 1024,
    timeout: queueFunctionTimeout,
    systemLog: 'failures',
    environment: [
      'tableName',
      'intakeQueueUrl',
      'deliveryQueueUrl',
      'slowDeliveryQueueUrl',
      'intakeDeadLetterQueueUrl',
      'baseUrl',
    ],
    optionalEnvironment: ['retentionDays'],
    grants: [
      items(stored, 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem'),
      sendTo('deliveryQueue'),
      sendTo('slowDeliveryQueue'),
      sendTo('intakeDeadLetterQueue'),
    ],
  },
  // Waits for receivers most of its time, and pays for memory while it waits: 512 MB would cost $0.72 more for a million
  // events, to send each 8 ms earlier. The process takes about 80 MB, and a batch of the largest events a few more.
  'queue/deliver': {
    ...delivering,
    memory: 256,
    grants: [...delivering.grants, sendTo('slowDeliveryQueue')],
  },
  // `slowLane` gives the CPU time of a batch with this memory.
  'queue/deliver-slow': { ...delivering, memory: 256 },
  // Invoked by the operator's own programs, and by nothing else: it has no route and no trigger.
  'operator/create-portal-link': {
    ...request,
    environment: ['tableName', 'baseUrl'],
    grants: [items(['customer'], 'GetItem'), items(['portalLink'], 'PutItem')],
  },
  ...bulkReplayFunctions,
  'schedule/sweep': {
    memory: 512,
    timeout: 60,
    environment: ['tableName', 'deliveryQueueUrl'],
    grants: [
      { on: 'waitingIndex', actions: ['dynamodb:Query'] },
      items(['deliveries'], 'UpdateItem'),
      sendTo('deliveryQueue'),
    ],
  },
  // Reads the deliveries of several hours, so its timeout is the longest that Lambda allows.
  'schedule/audit': {
    memory: 512,
    timeout: 900,
    environment: ['tableName', 'intakeQueueUrl', 'deliveryQueueUrl', 'slowDeliveryQueueUrl'],
    grants: [
      items(['customerList', 'customer', 'deliveries'], 'Query'),
      items(['deliveries'], 'GetItem', 'UpdateItem'),
      items(['bulkReplays'], 'GetItem'),
      ...(['intakeQueue', 'deliveryQueue', 'slowDeliveryQueue'] as const).map(countMessages),
    ],
  },
};

type Size = Pick<FunctionSettings, 'memory' | 'timeout' | 'systemLog' | 'invokesItself'>;

/** Stores one small item for each POST; nobody waits for it but a smoke test. */
const smokeFunction: Size = { memory: 256, timeout: 10 };

export function sizeOf(folder: BundledFolder): Size {
  return folder === smokeFunctionFolder ? smokeFunction : functions[folder];
}
