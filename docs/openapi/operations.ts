import type * as z from 'zod';
import { listDeliveriesQuery, listQuery, listRunItemsQuery } from '#shared/contract/list-query.ts';
import {
  bulkReplayPlanRecord,
  bulkReplayRecord,
  bulkReplayRequest,
} from '#shared/contract/records/bulk-replay.ts';
import { credentialRecord } from '#shared/contract/records/credential.ts';
import { deliveryWithLogRecord } from '#shared/contract/records/delivery.ts';
import { registrationRecord } from '#shared/contract/records/registration.ts';
import { runRecord } from '#shared/contract/records/run.ts';
import { trackerRecord } from '#shared/contract/records/tracker.ts';
import { registerWebhookBody, webhookRecord } from '#shared/contract/records/webhook.ts';
import type { OperationName } from '#shared/contract/routes.ts';
import { examples } from './examples.ts';
import { bulkReplayList } from './schemas/bulk-replay-schemas.ts';
import { deliveryList, deliveryReplay, endpointDeliveryList } from './schemas/delivery-schemas.ts';
import { changeReportList, runList } from './schemas/run-schemas.ts';
import { videoList } from './schemas/video-schemas.ts';
import { secretRotation, webhookList } from './schemas/webhook-schemas.ts';

/** Describes an operation beyond its route and operation-texts.ts. */
export type OperationDetails = {
  readonly tag: 'Webhooks' | 'Deliveries' | 'Results' | 'Credentials' | 'Documentation';
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly bodyExample?: unknown;
  /** Schema of a successful response; `null` without a body, `html` for a page. */
  readonly response: z.ZodType | 'html' | null;
  readonly example?: unknown;
};

export const operationDetails: Readonly<Record<OperationName, OperationDetails>> = {
  registerWebhook: {
    tag: 'Webhooks',
    body: registerWebhookBody,
    bodyExample: examples.registrationBody,
    response: registrationRecord,
    example: examples.registration,
  },
  listWebhooks: { tag: 'Webhooks', query: listQuery, response: webhookList, example: examples.webhooks },
  getWebhook: { tag: 'Webhooks', response: webhookRecord, example: examples.webhook },
  deleteWebhook: { tag: 'Webhooks', response: null },
  rotateSecret: { tag: 'Webhooks', response: secretRotation, example: examples.rotation },
  listDeliveries: {
    tag: 'Deliveries',
    query: listDeliveriesQuery,
    response: deliveryList,
    example: examples.deliveries,
  },
  listAllDeliveries: {
    tag: 'Deliveries',
    query: listDeliveriesQuery,
    response: endpointDeliveryList,
    example: examples.endpointDeliveries,
  },
  getDelivery: { tag: 'Deliveries', response: deliveryWithLogRecord, example: examples.delivery },
  replayDelivery: { tag: 'Deliveries', response: deliveryReplay, example: examples.replay },
  createBulkReplay: {
    tag: 'Deliveries',
    body: bulkReplayRequest,
    bodyExample: examples.bulkReplayBody,
    response: bulkReplayRecord,
    example: examples.bulkReplay,
  },
  planBulkReplay: {
    tag: 'Deliveries',
    body: bulkReplayRequest,
    bodyExample: examples.bulkReplayBody,
    response: bulkReplayPlanRecord,
    example: examples.bulkReplayPlan,
  },
  listBulkReplays: {
    tag: 'Deliveries',
    query: listQuery,
    response: bulkReplayList,
    example: examples.bulkReplays,
  },
  getBulkReplay: { tag: 'Deliveries', response: bulkReplayRecord, example: examples.endedBulkReplay },
  cancelBulkReplay: {
    tag: 'Deliveries',
    response: bulkReplayRecord,
    example: examples.cancelledBulkReplay,
  },
  listRuns: { tag: 'Results', query: listQuery, response: runList, example: examples.runs },
  getRun: { tag: 'Results', response: runRecord, example: examples.run },
  listRunItems: {
    tag: 'Results',
    query: listRunItemsQuery,
    response: videoList,
    example: examples.videos,
  },
  getTracker: { tag: 'Results', response: trackerRecord, example: examples.tracker },
  listChangeReports: {
    tag: 'Results',
    query: listQuery,
    response: changeReportList,
    example: examples.changeReports,
  },
  listCreatorVideos: {
    tag: 'Results',
    query: listQuery,
    response: videoList,
    example: examples.videos,
  },
  getCredential: { tag: 'Credentials', response: credentialRecord, example: examples.credential },
  getProblemPage: { tag: 'Documentation', response: 'html' },
};
