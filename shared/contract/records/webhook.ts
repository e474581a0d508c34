import * as z from 'zod';
import { limits } from '#shared/contract/limits.ts';
import { timestamp, timestampOrNull } from '#shared/contract/timestamp.ts';
import { type Endpoint, overlapExpiresAt } from '#shared/domain/endpoint.ts';

/** Neither UTF-8 nor a URL has lone surrogates; both would take a replacement character without a word. */
const wellFormedText = z.string().refine((text) => text.isWellFormed(), 'must be well-formed Unicode');

/** Text that survives storage and display as given: also no control characters but tab and line ends. */
const plainText = wellFormedText.refine(
  (text) => !/[^\P{Cc}\t\n\r]/u.test(text),
  'must have no control characters',
);

/** Body of a registration. The URL's own rules are checked apart, on its parsed form. */
export const registerWebhookBody = z.object({
  url: wellFormedText.min(1),
  description: plainText.max(limits.descriptionLength).default(''),
});

/** The record of an endpoint, as every answer shows it. */
export const webhookRecord = z.object({
  id: z.string(),
  url: z.string(),
  status: z.enum(['active', 'failed', 'deleted']),
  description: z.string(),
  secret_prefix: z.string(),
  previous_secret_expires_at: z.string().nullable(),
  created_at: z.string(),
  activated_at: z.string().nullable(),
  last_delivery_at: z.string().nullable(),
});

export type WebhookRecord = z.infer<typeof webhookRecord>;

/** @param now epoch milliseconds; decides whether a rotation overlap is still open */
export function presentWebhook(endpoint: Endpoint, now: number): WebhookRecord {
  return {
    id: endpoint.id,
    url: endpoint.url,
    status: endpoint.status,
    description: endpoint.description,
    secret_prefix: endpoint.secretPrefix,
    previous_secret_expires_at: timestampOrNull(overlapExpiresAt(endpoint, now)),
    created_at: timestamp(endpoint.createdAt),
    activated_at: timestampOrNull(endpoint.activatedAt),
    last_delivery_at: timestampOrNull(endpoint.lastDeliveryAt),
  };
}
