import type { Admission } from '#shared/aws/table/credentials/rate-windows.ts';
import {
  type CountedRequest,
  type RateWindow,
  rateLimit,
  rateState,
  rateWindowMs,
} from '#shared/domain/rate-window.ts';
import type { Needs } from '#shared/operations/needs.ts';

type Deps = Pick<Needs, 'now' | 'randomBytes'> & {
  readonly admitRequest: (request: CountedRequest) => Promise<Admission>;
};

export type Admitted = {
  /** `false` when the request must be refused. */
  readonly admitted: boolean;
  /** Headers of every response to the credential, admitted or not. */
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds until the next request is admitted, from 1 to 60. */
  readonly retryAfter: number;
};

const maxRemembered = 10_000;
const markBytes = 9;
const policy = { 'RateLimit-Policy': `"default";q=${rateLimit};w=${rateWindowMs / 1000}` };

/**
 * Counts the requests of a credential against its limit. While a credential is known to be at its limit, its requests
 * are refused without a read or a write: the window stays full until its oldest request leaves it.
 */
export function limitRequests(deps: Deps) {
  const full = new Map<string, RateWindow>();
  return async (credentialId: string): Promise<Admitted> => {
    const now = deps.now();
    const known = full.get(credentialId);
    if (known !== undefined && rateState(known, now).nextAt > now) return toAdmitted(false, known, now);
    full.delete(credentialId);
    const mark = Buffer.from(deps.randomBytes(markBytes)).toString('base64url');
    const { admitted, window } = await deps.admitRequest({ credentialId, now, mark });
    if (!admitted) remember(full, credentialId, window);
    return toAdmitted(admitted, window, now);
  };
}

function toAdmitted(admitted: boolean, window: RateWindow, now: number): Admitted {
  const { remaining, resetMs, nextAt } = rateState(window, now);
  const headers = {
    ...policy,
    RateLimit: `"default";r=${admitted ? remaining : 0};t=${Math.ceil(resetMs / 1000)}`,
  };
  return { admitted, headers, retryAfter: Math.max(1, Math.ceil((nextAt - now) / 1000)) };
}

function remember(full: Map<string, RateWindow>, credentialId: string, window: RateWindow): void {
  full.set(credentialId, window);
  const oldest = full.keys().next().value;
  if (full.size > maxRemembered && oldest !== undefined) full.delete(oldest);
}
