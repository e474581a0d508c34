import { createHmac, timingSafeEqual } from 'node:crypto';

/** Maximum difference in seconds between the time of a signature and now. */
export const toleranceSeconds = 300;

/**
 * Verifies a signature as a receiver must: over the raw bytes, with a recent timestamp.
 *
 * @param nowSeconds unix seconds
 */
export function verifySignature(
  header: string,
  body: Uint8Array,
  secret: string,
  nowSeconds: number,
): boolean {
  return faultOfSignature(header, body, secret, nowSeconds) === null;
}

/** Why a signature does not verify; `null` when it does. Arguments as of `verifySignature()`. */
export function faultOfSignature(
  header: string,
  body: Uint8Array,
  secret: string,
  nowSeconds: number,
): string | null {
  const parts = header.split(',').map((part) => part.split('='));
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^[0-9]+$/.test(time)) return 'the signature has no t';
  const difference = Math.round(nowSeconds - Number(time));
  if (Math.abs(difference) > toleranceSeconds) return faultOfTime(difference);
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  const matches = parts.some(([name, value = '']) => {
    const given = Buffer.from(name === 'v1' ? value : '', 'hex');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return matches ? null : 'no v1 of the signature matches the secret and the body';
}

function faultOfTime(difference: number): string {
  const age = difference > 0 ? `${difference} s old` : `${-difference} s in the future`;
  return `the timestamp is ${age}; the limit is ${toleranceSeconds} s`;
}
