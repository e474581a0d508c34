import { digest } from './derived-id.ts';
import type { EncryptedSecret } from './endpoint.ts';

/** What a customer may send as `Idempotency-Key`: 1 to 255 visible ASCII characters. */
export const requestKeyForm = /^[!-~]{1,255}$/;

/** How long a key stands for its first request, in milliseconds. */
export const requestKeyLasts = 24 * 60 * 60_000;

/** A try holds its request for this long, in milliseconds. No function of the API runs longer. */
export const requestLease = 30_000;

/**
 * A key of a customer, whatever the credential, or one of the operator for a request about a customer. `digest`: what is
 * stored of it.
 */
export type RequestKey = {
  readonly customerId: string;
  readonly digest: string;
  readonly usedBy: 'customer' | 'operator';
};

/** A request with a key. `fingerprint`: a digest of its operation, path and parsed body. */
export type KeyedRequest = RequestKey & { readonly fingerprint: string };

/** One try to do what a request asks for. Its token shows that no other try has begun since. */
export type RequestTry = { readonly token: string; readonly leaseUntil: number };

/** A request as it is stored under its key. Times are epoch milliseconds. */
export type StoredRequest = RequestTry & {
  readonly fingerprint: string;
  /** When its first try began: the time in all ids that it makes. */
  readonly begunAt: number;
  /** Whether it was refused before anything was done, so that its key may stand for another request. */
  readonly isFree: boolean;
  /** The signing secret that it makes, encrypted for its endpoint. */
  readonly secret: EncryptedSecret | null;
  /** The body of its success, encrypted. */
  readonly answer: string | null;
};

export function requestKey(customerId: string, key: string): RequestKey {
  return { customerId, digest: asText(digest('request key', customerId, key)), usedBy: 'customer' };
}

/** Its digest is that of no key that the customer can use. */
export function operatorRequestKey(customerId: string, key: string): RequestKey {
  return { customerId, digest: asText(digest('operator request key', customerId, key)), usedBy: 'operator' };
}

/** @param request what decides whether two requests are the same, as JSON */
export function keyedRequest(key: RequestKey, ...request: readonly unknown[]): KeyedRequest {
  return { ...key, fingerprint: asText(digest(JSON.stringify(request))) };
}

/** Bytes for the ids that a request makes: the same ones in each of its tries. */
export function entropyOf({ digest: key, fingerprint }: KeyedRequest, begunAt: number, label: string): Uint8Array {
  return digest('request', key, fingerprint, String(begunAt), label);
}

const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
