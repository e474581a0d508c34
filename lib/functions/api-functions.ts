import type { FunctionFolder } from '#shared/contract/functions.ts';
import { type FunctionSettings, request } from '../settings/function-settings.ts';
import { authentication, cursorSecret, items, listedItems, secretsKey, sendTo } from './grants.ts';

/** The functions that answer requests, but those of bulk replays. */
export const apiFunctions = {
  // Connects to customers' hosts, as queue/deliver and queue/deliver-slow do, so all three may access only the endpoint and its deliveries.
  // Waits up to ten seconds for the test event; API Gateway gives up after 29.
  'api/register-webhook': {
    memory: 512,
    timeout: 25,
    environment: ['tableName', 'secretsKeyArn', 'docsUrl', 'serviceName', 'standardWebhooks'],
    optionalEnvironment: ['retentionDays'],
    grants: [
      ...authentication,
      items(['customer', 'deliveries'], 'GetItem', 'PutItem', 'UpdateItem'),
      secretsKey('Encrypt'),
    ],
  },
  'api/list-webhooks': {
    ...request,
    environment: ['tableName', 'docsUrl'],
    grants: [...authentication, items(['customer', 'deliveries'], 'Query'), cursorSecret],
  },
  'api/get-webhook': {
    ...request,
    environment: ['tableName', 'docsUrl'],
    grants: [...authentication, items(['customer'], 'GetItem'), items(['deliveries'], 'Query')],
  },
  'api/delete-webhook': {
    ...request,
    environment: ['tableName', 'docsUrl'],
    grants: [...authentication, items(['customer'], 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem')],
  },
  'api/rotate-secret': {
    ...request,
    environment: ['tableName', 'secretsKeyArn', 'docsUrl'],
    grants: [
      ...authentication,
      items(['customer'], 'UpdateItem'),
      items(['deliveries'], 'Query'),
      secretsKey('Encrypt'),
    ],
  },
  'api/list-deliveries': {
    ...request,
    environment: ['tableName', 'docsUrl'],
    grants: [
      ...authentication,
      items(['customer', 'run', 'tracker', 'changeReport'], 'GetItem'),
      items(['deliveries'], 'Query', 'BatchGetItem'),
      items(['eventReplays'], 'Query'),
      cursorSecret,
    ],
  },
  'api/list-all-deliveries': {
    ...request,
    environment: ['tableName', 'docsUrl'],
    grants: [
      ...authentication,
      items(['customer', 'deliveries', 'eventReplays'], 'Query'),
      items(['run', 'tracker', 'changeReport'], 'GetItem'),
      items(['deliveries'], 'BatchGetItem'),
      cursorSecret,
    ],
  },
  'api/get-delivery': {
    ...request,
    environment: ['tableName', 'docsUrl', 'serviceName', 'standardWebhooks'],
    grants: [...authentication, items(['deliveries'], 'GetItem')],
  },
  'api/replay-delivery': {
    ...request,
    environment: ['tableName', 'deliveryQueueUrl', 'slowDeliveryQueueUrl', 'docsUrl'],
    optionalEnvironment: ['retentionDays'],
    grants: [
      ...authentication,
      items(['customer', 'deliveries'], 'GetItem'),
      items(['deliveries', 'eventReplays'], 'PutItem', 'UpdateItem'),
      sendTo('deliveryQueue'),
      sendTo('slowDeliveryQueue'),
    ],
  },
  'api/list-runs': {
    ...request,
    environment: ['tableName', 'baseUrl', 'docsUrl'],
    grants: [...authentication, ...listedItems('run'), cursorSecret],
  },
  'api/get-run': {
    ...request,
    environment: ['tableName', 'baseUrl', 'docsUrl'],
    grants: [...authentication, items(['run'], 'GetItem')],
  },
  'api/list-run-items': {
    ...request,
    environment: ['tableName', 'docsUrl'],
    grants: [...authentication, items(['run'], 'GetItem', 'Query'), cursorSecret],
  },
  'api/get-tracker': {
    ...request,
    environment: ['tableName', 'baseUrl', 'docsUrl'],
    grants: [...authentication, items(['tracker'], 'GetItem')],
  },
  'api/list-change-reports': {
    ...request,
    environment: ['tableName', 'baseUrl', 'docsUrl'],
    grants: [...authentication, items(['tracker'], 'GetItem', 'Query'), cursorSecret],
  },
  'api/list-creator-videos': {
    ...request,
    environment: ['tableName', 'docsUrl', 'supportedPlatforms'],
    grants: [...authentication, ...listedItems('creator'), items(['creator'], 'Query'), cursorSecret],
  },
  'api/get-credential': {
    ...request,
    environment: ['tableName', 'docsUrl'],
    grants: [...authentication, items(['customer'], 'GetItem')],
  },
  'api/get-docs': {
    ...request,
    environment: ['docsUrl'],
    optionalEnvironment: ['consoleFrameAncestors'],
    grants: [],
  },
  'api/not-found': { ...request, environment: ['docsUrl'], grants: [] },
} as const satisfies Partial<Record<FunctionFolder, FunctionSettings>>;
