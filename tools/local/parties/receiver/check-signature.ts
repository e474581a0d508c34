import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Maximum difference in seconds between the time of a signature and now. */
export const toleranceSeconds = 300;

type Signed = {
  /** Arrival, epoch milliseconds. */
  readonly at: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
};

/**
 * Verifies the signature of a received request as a customer must, as of its arrival: a listing later than the
 * tolerance does not change the verdict.
 *
 * @param secrets signing secrets of the endpoints at this path; one of them must match
 * @param howToGive the next step for a path without a secret
 * @returns why the signature does not verify; `null` when it does
 */
export function signatureFault(request: Signed, secrets: readonly string[], howToGive = ''): string | null {
  const [, header] = signatureIn(request.headers) ?? [];
  if (header === undefined) return 'The request has no X-Service-Signature header';
  const time = /(?:^|,)t=(\d+)(?:,|$)/.exec(header)?.[1];
  if (time === undefined || !/(?:^|,)v1=/.test(header)) {
    return 'The X-Service-Signature header has no t=<unix seconds> and v1=<hex>';
  }
  const arrival = request.at / 1_000;
  const difference = Math.abs(arrival - Number(time));
  if (difference > toleranceSeconds) {
    return `The timestamp is ${Math.round(difference)} s from the arrival; at most ${toleranceSeconds} s are allowed`;
  }
  if (secrets.length === 0) return `The receiver has no secret for this path: ${howToGive}`;
  const matches = secrets.some((secret) => verifySignature(header, request.body, secret, arrival));
  return matches ? null : 'No v1 matches a secret that the receiver has';
}

/** The first word of the name depends on the stage. Standard Webhooks signatures have a header of their own. */
export function signatureIn(headers: IncomingHttpHeaders): readonly [name: string, value: string] | undefined {
  const found = Object.entries(headers).find(([name]) => /^x-.*-signature$/.test(name));
  return found && [found[0], String(found[1])];
}

/**
 * Verifies a signature as a receiver must: over the raw bytes, with a recent timestamp.
 *
 * @param nowSeconds unix seconds
 */
export function verifySignature(header: string, body: Uint8Array, secret: string, nowSeconds: number): boolean {
  const parts = header.split(',').map((part) => part.split('='));
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^[0-9]+$/.test(time) || Math.abs(nowSeconds - Number(time)) > toleranceSeconds) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  return parts.some(([name, value = '']) => name === 'v1' && isEqual(Buffer.from(value, 'hex'), expected));
}

export function isEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
