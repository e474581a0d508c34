import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { secretBytes } from './signing-secret.ts';

/**
 * The value of the signature header: `t=<unix seconds>,v1=<hex>[,v1=<hex>]`, one `v1` for each secret that is
 * valid at the time. Each is the HMAC-SHA256 of `<t>.<raw body>`, keyed with the whole secret text as UTF-8.
 *
 * @param secrets valid signing secrets, the current one first
 * @param body the bytes that go over the wire
 * @param sentAt epoch milliseconds
 */
export function signatureHeader(secrets: readonly string[], body: Uint8Array, sentAt: number): string {
  refuseNone(secrets);
  const timestamp = unixSeconds(sentAt);
  const values = secrets.map((secret) => `v1=${sign(secret, `${timestamp}.`, body, 'hex')}`);
  return [`t=${timestamp}`, ...values].join(',');
}

/** The headers of Standard Webhooks 1.0. */
export type StandardHeaders = {
  /** The id of the event: the same on every attempt and replay. */
  readonly 'webhook-id': string;
  /** Unix seconds. */
  readonly 'webhook-timestamp': string;
  /** `v1,<base64>[ v1,<base64>]`, one for each secret that is valid at the time, the current one first. */
  readonly 'webhook-signature': string;
};

/**
 * The headers by which every verifier of Standard Webhooks accepts a delivery. Each signature is the HMAC-SHA256 of
 * `<id>.<unix seconds>.<raw body>`, keyed with the bytes of the secret.
 *
 * @param secrets valid signing secrets, the current one first
 * @param body the bytes that go over the wire
 * @param sentAt epoch milliseconds
 * @throws RangeError for a secret that is not one of this service
 */
export function standardHeaders(
  secrets: readonly string[],
  eventId: string,
  body: Uint8Array,
  sentAt: number,
): StandardHeaders {
  refuseNone(secrets);
  const timestamp = unixSeconds(sentAt);
  const head = `${eventId}.${timestamp}.`;
  // Node.js 24 signs four times as fast with a key object as with a key of bytes.
  const keys = secrets.map((secret) => createSecretKey(secretBytes(secret)));
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': keys.map((key) => `v1,${sign(key, head, body, 'base64')}`).join(' '),
  };
}

function refuseNone(secrets: readonly string[]): void {
  if (secrets.length === 0) throw new RangeError('Cannot sign a delivery without a secret');
}

function unixSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

function sign(key: string | KeyObject, head: string, body: Uint8Array, encoding: 'hex' | 'base64'): string {
  return createHmac('sha256', key).update(head).update(body).digest(encoding);
}
