import * as z from 'zod';
import { listDeliveriesQuery, listQuery, listRunItemsQuery } from '#shared/contract/list-query.ts';
import { changeReportRecord } from '#shared/contract/records/change-report.ts';
import { deliveryRecord, deliveryWithLogRecord } from '#shared/contract/records/delivery.ts';
import { registrationRecord } from '#shared/contract/records/registration.ts';
import { runRecord } from '#shared/contract/records/run.ts';
import { trackerRecord } from '#shared/contract/records/tracker.ts';
import { videoRecord } from '#shared/contract/records/video.ts';
import { registerWebhookBody, webhookRecord } from '#shared/contract/records/webhook.ts';
import type { OperationName } from '#shared/contract/routes.ts';
import { examples } from './examples.ts';

/** Describes an operation beyond its route. */
export type OperationDetails = {
  readonly tag: 'Webhooks' | 'Deliveries' | 'Results' | 'Documentation';
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Schema of a successful response; `null` without a body, `html` for a page. */
  readonly response: z.ZodType | 'html' | null;
  readonly example?: unknown;
};

const page = (item: z.ZodType) => z.object({ items: z.array(item), next_cursor: z.string().nullable() });

export const operationDetails: Readonly<Record<OperationName, OperationDetails>> = {
  registerWebhook: {
    tag: 'Webhooks',
    body: registerWebhookBody,
    response: registrationRecord,
    example: examples.registration,
  },
  listWebhooks: {
    tag: 'Webhooks',
    query: listQuery,
    response: page(webhookRecord),
    example: examples.webhooks,
  },
  getWebhook: { tag: 'Webhooks', response: webhookRecord, example: examples.webhook },
  deleteWebhook: { tag: 'Webhooks', response: null },
  rotateSecret: {
    tag: 'Webhooks',
    response: z.object({ webhook: webhookRecord, secret: z.string(), overlap_expires_at: z.string() }),
    example: examples.rotation,
  },
  listDeliveries: {
    tag: 'Deliveries',
    query: listDeliveriesQuery,
    response: page(deliveryRecord),
    example: examples.deliveries,
  },
  getDelivery: { tag: 'Deliveries', response: deliveryWithLogRecord, example: examples.delivery },
  replayDelivery: {
    tag: 'Deliveries',
    response: z.object({ delivery: deliveryRecord }),
    example: examples.replay,
  },
  listRuns: { tag: 'Results', query: listQuery, response: page(runRecord), example: examples.runs },
  getRun: { tag: 'Results', response: runRecord, example: examples.run },
  listRunItems: {
    tag: 'Results',
    query: listRunItemsQuery,
    response: page(videoRecord),
    example: examples.videos,
  },
  getTracker: { tag: 'Results', response: trackerRecord, example: examples.tracker },
  listChangeReports: {
    tag: 'Results',
    query: listQuery,
    response: page(changeReportRecord),
    example: examples.changeReports,
  },
  listCreatorVideos: {
    tag: 'Results',
    query: listQuery,
    response: page(videoRecord),
    example: examples.videos,
  },
  getProblemPage: { tag: 'Documentation', response: 'html' },
};
