import { createHmac } from 'node:crypto';

/**
 * The value of the signature header: `t=<unix seconds>,v1=<hex>[,v1=<hex>]`, one `v1` for each secret that is
 * valid at the time. Each is the HMAC-SHA256 of `<t>.<raw body>`, keyed with the whole secret text as UTF-8.
 *
 * @param secrets valid signing secrets, the current one first
 * @param body the bytes that go over the wire
 * @param sentAt epoch milliseconds
 */
export function signatureHeader(secrets: readonly string[], body: Uint8Array, sentAt: number): string {
  if (secrets.length === 0) throw new RangeError('Cannot sign a delivery without a secret');
  const timestamp = Math.floor(sentAt / 1000);
  const values = secrets.map((secret) => `v1=${sign(secret, timestamp, body)}`);
  return [`t=${timestamp}`, ...values].join(',');
}

function sign(secret: string, timestamp: number, body: Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
}
