import type { IncomingHttpHeaders } from 'node:http';
import { toleranceSeconds, verifySignature } from '../customer/verify-signature.ts';

type Signed = {
  /** Arrival, epoch milliseconds. */
  readonly at: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
};

/** Whether a signature verifies; if not, why. */
export type Verdict = { readonly verified: true } | { readonly verified: false; readonly reason: string };

/**
 * Verifies the signature of a received request as a customer must, as of its arrival: a listing later than the
 * tolerance does not change the verdict.
 *
 * @param secrets signing secrets of the endpoints at this path; one of them must match
 * @param howToGive the next step for a path without a secret
 */
export function checkSignature(request: Signed, secrets: readonly string[], howToGive: string): Verdict {
  const header = signatureOf(request.headers);
  if (header === undefined) return refused('The request has no X-Service-Signature header');
  const time = /(?:^|,)t=(\d+)(?:,|$)/.exec(header)?.[1];
  if (time === undefined || !/(?:^|,)v1=/.test(header)) {
    return refused('The X-Service-Signature header has no t=<unix seconds> and v1=<hex>');
  }
  const arrival = request.at / 1_000;
  const difference = Math.abs(arrival - Number(time));
  if (difference > toleranceSeconds) {
    return refused(
      `The timestamp is ${Math.round(difference)} s from the arrival; at most ${toleranceSeconds} s are allowed`,
    );
  }
  if (secrets.length === 0) return refused(`The receiver has no secret for this path: ${howToGive}`);
  const matches = secrets.some((secret) => verifySignature(header, request.body, secret, arrival));
  return matches ? { verified: true } : refused('No v1 matches a secret that the receiver has');
}

function refused(reason: string): Verdict {
  return { verified: false, reason };
}

/** The first word of the name depends on the stage. Standard Webhooks signatures have a header of their own. */
function signatureOf(headers: IncomingHttpHeaders): string | undefined {
  const found = Object.entries(headers).find(([name]) => /^x-.*-signature$/.test(name));
  return found === undefined ? undefined : String(found[1]);
}
