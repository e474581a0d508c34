import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isEqual, signatureFault, signatureIn, toleranceSeconds } from '../parties/receiver/check-signature.ts';

export type SignedRequest = {
  /** With names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
};

/** What one signature of a request says. */
export type Verdict = {
  readonly header: string;
  /** Epoch milliseconds of the signature; `null` when the headers have none. */
  readonly signedAt: number | null;
  /** Why it does not verify; `null` when it does. */
  readonly fault: string | null;
};

/**
 * Verifies each signature of a request: that of the service and that of Standard Webhooks.
 *
 * @param now epoch milliseconds; `null` accepts signatures of any age
 * @returns no verdict when the request has neither header
 */
export function verifyRequest(request: SignedRequest, secret: string, now: number | null): readonly Verdict[] {
  return [...verifyOwn(request, secret, now), ...verifyStandard(request, secret, now)];
}

/** Why no signature matches, if the body was changed in a usual way; otherwise `null`. */
export function changedBody({ headers, body }: SignedRequest, secret: string): string | null {
  const text = Buffer.from(body).toString('utf8');
  const matches = (other: string): boolean =>
    other !== text &&
    verifyRequest({ headers, body: Buffer.from(other) }, secret, null).some(({ fault }) => fault === null);
  if (matches(text.replace(/(\r?\n)+$/, '')))
    return 'It matches without the line break at its end: an editor or echo added it';
  if (matches(compact(text)))
    return 'It matches as compact JSON: something parsed it and wrote it again. Verify the bytes that arrived';
  return null;
}

function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

function verifyOwn({ headers, body }: SignedRequest, secret: string, now: number | null): readonly Verdict[] {
  const [header, value = ''] = signatureIn(headers) ?? [];
  if (header === undefined) return [];
  const signedAt = millisecondsOf(/(?:^|,)t=(\d+)(?:,|$)/.exec(value)?.[1]);
  const at = now ?? signedAt ?? 0;
  return [{ header, signedAt, fault: signatureFault({ at, headers, body }, [secret]) }];
}

function verifyStandard({ headers, body }: SignedRequest, secret: string, now: number | null): readonly Verdict[] {
  const header = 'webhook-signature';
  const { [header]: signatures, 'webhook-id': id, 'webhook-timestamp': time } = headers;
  if (signatures === undefined) return [];
  const signedAt = millisecondsOf(String(time));
  const fault = (reason: string | null): readonly Verdict[] => [{ header, signedAt, fault: reason }];
  if (id === undefined || signedAt === null) return fault('webhook-id or webhook-timestamp is missing or malformed');
  const age = Math.abs((now ?? signedAt) - signedAt) / 1_000;
  if (age > toleranceSeconds)
    return fault(`The timestamp is ${Math.round(age)} s from now; at most ${toleranceSeconds} s are allowed`);
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest();
  const isMatch = String(signatures)
    .split(' ')
    .some((part) => part.startsWith('v1,') && isEqual(Buffer.from(part.slice(3), 'base64'), expected));
  return fault(isMatch ? null : 'No v1 matches the secret');
}

function millisecondsOf(seconds: string | undefined): number | null {
  return seconds !== undefined && /^\d{1,12}$/.test(seconds) ? Number(seconds) * 1_000 : null;
}
