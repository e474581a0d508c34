import * as z from 'zod';
import { listDeliveriesQuery, listQuery, listRunItemsQuery } from '#shared/contract/list-query.ts';
import { changeReportRecord } from '#shared/contract/records/change-report.ts';
import { deliveryRecord, deliveryWithLogRecord } from '#shared/contract/records/delivery.ts';
import { runRecord } from '#shared/contract/records/run.ts';
import { trackerRecord } from '#shared/contract/records/tracker.ts';
import { videoRecord } from '#shared/contract/records/video.ts';
import { registerWebhookBody, webhookRecord } from '#shared/contract/records/webhook.ts';
import type { OperationName } from '#shared/contract/routes.ts';
import { examples } from './examples.ts';

/** Documents an operation beyond its route. */
export type OperationDetails = {
  readonly tag: 'Webhooks' | 'Deliveries' | 'Results' | 'Documentation';
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The record of a success; `null` when it has no body, `html` for a page. */
  readonly answer: z.ZodType | 'html' | null;
  readonly example?: unknown;
};

const page = (item: z.ZodType) => z.object({ items: z.array(item), next_cursor: z.string().nullable() });

export const operationDetails: Readonly<Record<OperationName, OperationDetails>> = {
  registerWebhook: {
    tag: 'Webhooks',
    body: registerWebhookBody,
    answer: z.object({ webhook: webhookRecord, secret: z.string(), test_delivery: deliveryRecord }),
    example: examples.registration,
  },
  listWebhooks: {
    tag: 'Webhooks',
    query: listQuery,
    answer: page(webhookRecord),
    example: examples.webhooks,
  },
  getWebhook: { tag: 'Webhooks', answer: webhookRecord, example: examples.webhook },
  deleteWebhook: { tag: 'Webhooks', answer: null },
  rotateSecret: {
    tag: 'Webhooks',
    answer: z.object({ webhook: webhookRecord, secret: z.string(), overlap_expires_at: z.string() }),
    example: examples.rotation,
  },
  listDeliveries: {
    tag: 'Deliveries',
    query: listDeliveriesQuery,
    answer: page(deliveryRecord),
    example: examples.deliveries,
  },
  getDelivery: { tag: 'Deliveries', answer: deliveryWithLogRecord, example: examples.delivery },
  replayDelivery: {
    tag: 'Deliveries',
    answer: z.object({ delivery: deliveryRecord }),
    example: examples.replay,
  },
  listRuns: { tag: 'Results', query: listQuery, answer: page(runRecord), example: examples.runs },
  getRun: { tag: 'Results', answer: runRecord, example: examples.run },
  listRunItems: {
    tag: 'Results',
    query: listRunItemsQuery,
    answer: page(videoRecord),
    example: examples.videos,
  },
  getTracker: { tag: 'Results', answer: trackerRecord, example: examples.tracker },
  listChangeReports: {
    tag: 'Results',
    query: listQuery,
    answer: page(changeReportRecord),
    example: examples.changeReports,
  },
  listCreatorVideos: {
    tag: 'Results',
    query: listQuery,
    answer: page(videoRecord),
    example: examples.videos,
  },
  getProblemPage: { tag: 'Documentation', answer: 'html' },
};
