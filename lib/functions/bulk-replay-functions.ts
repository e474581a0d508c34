import type { FunctionFolder } from '#shared/contract/functions.ts';
import { type FunctionSettings, queueFunctionTimeout, request } from '../settings/function-settings.ts';
import { authentication, cursorSecret, items, sendTo } from './grants.ts';

/** Seconds to count deliveries; API Gateway gives up after 29. */
const planTimeout = 28;

/** The functions of bulk replays. A transaction needs the permissions of its individual writes. */
export const bulkReplayFunctions = {
  'api/create-bulk-replay': {
    ...request,
    environment: ['tableName', 'replayQueueUrl', 'docsUrl'],
    grants: [
      ...authentication,
      items(['customer'], 'GetItem'),
      items(['bulkReplays'], 'GetItem', 'Query', 'PutItem'),
      sendTo('replayQueue'),
    ],
  },
  'api/plan-bulk-replay': {
    ...request,
    timeout: planTimeout,
    environment: ['tableName', 'docsUrl'],
    grants: [...authentication, items(['customer'], 'GetItem'), items(['deliveries'], 'Query')],
  },
  'api/list-bulk-replays': {
    ...request,
    environment: ['tableName', 'docsUrl'],
    grants: [
      ...authentication,
      items(['customer'], 'GetItem'),
      items(['bulkReplays'], 'Query'),
      cursorSecret,
    ],
  },
  'api/get-bulk-replay': {
    ...request,
    environment: ['tableName', 'docsUrl'],
    grants: [...authentication, items(['bulkReplays'], 'GetItem')],
  },
  'api/cancel-bulk-replay': {
    ...request,
    environment: ['tableName', 'docsUrl'],
    grants: [...authentication, items(['bulkReplays'], 'GetItem', 'UpdateItem', 'DeleteItem')],
  },
  // A step stores up to a thousand replays, 25 at a time, so most of its time is CPU. It sends the message of the next
  // step, and the end of the job ends that chain.
  'queue/replay': {
    memory: 1024,
    timeout: queueFunctionTimeout,
    systemLog: 'failures',
    invokesItself: true,
    environment: [
      'tableName',
      'deliveryQueueUrl',
      'slowDeliveryQueueUrl',
      'replayQueueUrl',
      'replayDeadLetterQueueUrl',
    ],
    optionalEnvironment: ['retentionDays'],
    grants: [
      items(['customer'], 'GetItem'),
      items(['deliveries', 'eventReplays'], 'Query', 'GetItem', 'PutItem', 'UpdateItem'),
      items(['bulkReplays'], 'GetItem', 'UpdateItem', 'DeleteItem'),
      sendTo('deliveryQueue'),
      sendTo('slowDeliveryQueue'),
      sendTo('replayQueue'),
      sendTo('replayDeadLetterQueue'),
    ],
  },
} as const satisfies Partial<Record<FunctionFolder, FunctionSettings>>;
