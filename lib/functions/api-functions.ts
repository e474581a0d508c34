import type { FunctionFolder } from '#shared/contract/functions.ts';
import { type FunctionSettings, request } from './function-settings.ts';
import { answersKey, authentication, cursorSecret, items, listedItems, secretsKey, sendTo } from './grants.ts';

/** A function that answers a customer's requests. What it is given is in addition to what all of them have. */
function operation({
  environment = [],
  grants,
  ...others
}: Partial<FunctionSettings> & Pick<FunctionSettings, 'grants'>): FunctionSettings {
  return {
    ...request,
    ...others,
    environment: ['tableName', 'docsUrl', ...environment],
    grants: [...authentication, ...grants],
  };
}

/** The same for one that changes something, so its requests may have an `Idempotency-Key`. */
function change({ environment = [], grants, ...others }: Parameters<typeof operation>[0]): FunctionSettings {
  return operation({
    ...others,
    environment: ['secretsKeyArn', ...environment],
    grants: [
      ...grants,
      items(['request'], 'PutItem', 'UpdateItem'),
      items(['activity'], 'PutItem'),
      answersKey('Encrypt', 'Decrypt'),
    ],
  });
}

/** The functions that answer requests. A transaction needs the permissions of its individual writes. */
export const apiFunctions = {
  // Connects to customers' hosts, as queue/deliver and queue/deliver-slow do, so all three may access only the endpoint
  // and its deliveries.
  'api/register-webhook': change({
    // Waits up to ten seconds for the test event; API Gateway gives up after 29.
    timeout: 25,
    postsToEndpoints: true,
    environment: ['serviceName', 'standardWebhooks'],
    optionalEnvironment: ['retentionDays'],
    grants: [items(['customer', 'deliveries'], 'GetItem', 'PutItem', 'UpdateItem'), secretsKey('Encrypt', 'Decrypt')],
  }),
  'api/list-webhooks': operation({ grants: [items(['customer', 'deliveries'], 'Query'), cursorSecret] }),
  'api/get-webhook': operation({
    grants: [items(['customer'], 'GetItem'), items(['deliveries'], 'Query')],
  }),
  'api/get-webhook-stats': operation({
    grants: [items(['customer'], 'GetItem'), items(['deliveries'], 'Query')],
  }),
  'api/list-activity': operation({
    grants: [items(['customer'], 'GetItem'), items(['activity'], 'Query'), cursorSecret],
  }),
  'api/delete-webhook': operation({
    grants: [items(['customer'], 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'), items(['activity'], 'PutItem')],
  }),
  'api/rotate-secret': change({
    grants: [items(['customer'], 'UpdateItem'), items(['deliveries'], 'Query'), secretsKey('Encrypt', 'Decrypt')],
  }),
  'api/list-deliveries': operation({
    grants: [
      items(['customer', 'run', 'tracker', 'changeReport'], 'GetItem'),
      items(['deliveries'], 'Query', 'BatchGetItem'),
      items(['eventReplays'], 'Query'),
      cursorSecret,
    ],
  }),
  'api/list-all-deliveries': operation({
    grants: [
      items(['customer', 'deliveries', 'eventReplays'], 'Query'),
      items(['run', 'tracker', 'changeReport'], 'GetItem'),
      items(['deliveries'], 'BatchGetItem'),
      cursorSecret,
    ],
  }),
  'api/get-delivery': operation({
    environment: ['serviceName', 'standardWebhooks'],
    grants: [items(['deliveries'], 'GetItem')],
  }),
  'api/replay-delivery': change({
    environment: ['deliveryQueueUrl', 'slowDeliveryQueueUrl'],
    optionalEnvironment: ['retentionDays'],
    grants: [
      items(['customer', 'deliveries'], 'GetItem'),
      items(['deliveries', 'eventReplays'], 'PutItem', 'UpdateItem'),
      ...sendTo('deliveryQueue', 'slowDeliveryQueue'),
    ],
  }),
  'api/send-example': change({
    environment: ['baseUrl', 'deliveryQueueUrl', 'slowDeliveryQueueUrl'],
    grants: [
      items(['customer'], 'GetItem'),
      items(['deliveries'], 'PutItem'),
      ...sendTo('deliveryQueue', 'slowDeliveryQueue'),
    ],
  }),
  'api/create-bulk-replay': change({
    environment: ['replayQueueUrl'],
    grants: [
      items(['customer'], 'GetItem'),
      items(['bulkReplays'], 'GetItem', 'Query', 'PutItem'),
      items(['deliveries'], 'BatchGetItem'),
      ...sendTo('replayQueue'),
    ],
  }),
  'api/plan-bulk-replay': operation({
    // Counts deliveries; API Gateway gives up after 29.
    timeout: 28,
    grants: [
      items(['customer'], 'GetItem'),
      items(['deliveries'], 'Query', 'BatchGetItem'),
      items(['eventReplays'], 'Query'),
    ],
  }),
  'api/list-bulk-replays': operation({
    grants: [items(['customer'], 'GetItem'), items(['bulkReplays'], 'Query'), cursorSecret],
  }),
  'api/get-bulk-replay': operation({ grants: [items(['bulkReplays'], 'GetItem', 'Query')] }),
  'api/cancel-bulk-replay': change({
    grants: [items(['bulkReplays'], 'GetItem', 'Query', 'UpdateItem', 'DeleteItem')],
  }),
  'api/list-runs': operation({
    environment: ['baseUrl'],
    grants: [...listedItems('run'), cursorSecret],
  }),
  'api/get-run': operation({ environment: ['baseUrl'], grants: [items(['run'], 'GetItem')] }),
  'api/list-run-items': operation({ grants: [items(['run'], 'GetItem', 'Query'), cursorSecret] }),
  'api/get-tracker': operation({ environment: ['baseUrl'], grants: [items(['tracker'], 'GetItem')] }),
  'api/list-change-reports': operation({
    environment: ['baseUrl'],
    grants: [items(['tracker'], 'GetItem', 'Query'), cursorSecret],
  }),
  'api/list-creator-videos': operation({
    environment: ['supportedPlatforms'],
    grants: [...listedItems('creator'), items(['creator'], 'Query'), cursorSecret],
  }),
  'api/get-credential': operation({ grants: [items(['customer'], 'GetItem')] }),
  'api/get-addresses': operation({ optionalEnvironment: ['sourceAddresses'], grants: [] }),
  'api/get-docs': {
    ...request,
    environment: ['docsUrl'],
    optionalEnvironment: ['consoleFrameAncestors'],
    grants: [],
  },
  'api/not-found': { ...request, environment: ['docsUrl'], grants: [] },
} satisfies Partial<Record<FunctionFolder, FunctionSettings>>;
