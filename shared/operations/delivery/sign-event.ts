import type { Endpoint } from '#shared/domain/endpoint.ts';
import { validSecrets } from '#shared/domain/endpoint.ts';
import { signatureHeader } from '#shared/domain/signature.ts';
import type { OpenSecret } from '#shared/operations/ports.ts';

/** The secrets that sign for an endpoint at this time, opened. */
export async function openValidSecrets(
  endpoint: Endpoint,
  now: number,
  openSecret: OpenSecret,
): Promise<readonly string[]> {
  const context = { customerId: endpoint.customerId, webhookId: endpoint.id };
  return Promise.all(validSecrets(endpoint, now).map((sealed) => openSecret(sealed, context)));
}

/**
 * The headers of a delivery.
 * @param serviceName the word between `X-` and `-Signature`
 * @param sentAt epoch milliseconds; goes into the signature
 */
export function deliveryHeaders(given: {
  readonly serviceName: string;
  readonly secrets: readonly string[];
  readonly event: { readonly id: string; readonly type: string };
  readonly body: Uint8Array;
  readonly sentAt: number;
}): Readonly<Record<string, string>> {
  const { serviceName, secrets, event, body, sentAt } = given;
  return {
    'Content-Type': 'application/json',
    'User-Agent': `${serviceName}-Webhooks/1`,
    [`X-${serviceName}-Signature`]: signatureHeader(secrets, body, sentAt),
    [`X-${serviceName}-Event-Id`]: event.id,
    [`X-${serviceName}-Event-Type`]: event.type,
  };
}
