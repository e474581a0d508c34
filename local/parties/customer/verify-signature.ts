import { createHmac, timingSafeEqual } from 'node:crypto';

/** How old or how far in the future a signature may be, in seconds. */
const tolerance = 300;

/**
 * What a receiver does: whether the header signs these very bytes with this secret, recently.
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
  if (!/^[0-9]+$/.test(time) || Math.abs(nowSeconds - Number(time)) > tolerance) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  return parts.some(([name, value = '']) => {
    const given = Buffer.from(name === 'v1' ? value : '', 'hex');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
