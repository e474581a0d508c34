import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Received } from '../harness/receiver.ts';

/** Maximum difference in seconds between the time of a signature and now. */
const toleranceSeconds = 300;

export type SignatureHeader = {
  /** Unix seconds, `null` when missing or not an integer. */
  readonly time: number | null;
  /** Every `v1`. */
  readonly signatures: readonly string[];
};

export function parseSignature(header: string): SignatureHeader {
  const parts = header.split(',').map((part) => part.split('='));
  const values = (name: string) => parts.filter(([key]) => key === name).map(([, value]) => value ?? '');
  const [time] = values('t');
  return {
    time: time !== undefined && /^\d{1,15}$/.test(time) ? Number(time) : null,
    signatures: values('v1'),
  };
}

/** The expected `v1` signature of this body at this time. */
export function signatureOf(secret: string, time: number, body: Uint8Array): string {
  return createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex');
}

/**
 * Verifies a signature as a receiver must: over the raw bytes, in constant time, with any `v1`, and with a time at most
 * five minutes off.
 *
 * @param now unix seconds
 */
export function verifies(header: string, body: Uint8Array, secret: string, now: number): boolean {
  const { time, signatures } = parseSignature(header);
  if (time === null || Math.abs(now - time) > toleranceSeconds) return false;
  const wanted = Buffer.from(signatureOf(secret, time, body));
  return signatures.some((signature) => {
    const given = Buffer.from(signature);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

/** The value of a header `X-<name>-<ending>`, where the name is a setting of the deployment. */
export function serviceHeader(
  { headers }: Received,
  ending: 'signature' | 'event-id' | 'event-type',
): string | undefined {
  return [...headers].find(([name]) => name.startsWith('x-') && name.endsWith(`-${ending}`))?.[1];
}
