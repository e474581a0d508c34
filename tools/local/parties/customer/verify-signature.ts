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
  const parts = header.split(',').map((part) => part.split('='));
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^[0-9]+$/.test(time) || Math.abs(nowSeconds - Number(time)) > toleranceSeconds) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  return parts.some(([name, value = '']) => {
    const given = Buffer.from(name === 'v1' ? value : '', 'hex');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
