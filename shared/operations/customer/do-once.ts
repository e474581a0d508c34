import { beginRequest, changeRequest, continueRequest } from '#shared/aws/table/requests/requests.ts';
import { Problem, problem } from '#shared/contract/problem.ts';
import {
  entropyOf,
  type KeyedRequest,
  type RequestKey,
  type RequestTry,
  requestLease,
  type StoredRequest,
} from '#shared/domain/request-key.ts';
import type { Needs } from '#shared/operations/needs.ts';
import type { SecretContext } from '#shared/operations/ports.ts';
import { makeSecret, type NewSecret, type SecretSeed } from '#shared/operations/seed.ts';

export type OnceDeps = Pick<
  Needs,
  | 'table'
  | 'now'
  | 'wait'
  | 'randomBytes'
  | 'report'
  | 'encryptAnswer'
  | 'decryptAnswer'
  | 'encryptSecret'
  | 'decryptSecret'
>;

export type Answer = { readonly body: unknown; readonly isReplayed: boolean };

/** How long a request waits for the answer of one under way, and how often it looks. Milliseconds. */
const longestWait = 5_000;
const lookInterval = 500;

/** Seconds after which a request that found another one under way should be sent again. */
const retryAfter = 5;

/**
 * Does what a request with an `Idempotency-Key` asks for once, and gives its answer again to each repetition.
 *
 * One try works at a time, and the key is free again if it was refused before anything was done. A try that failed inside
 * is continued by the next one: it has the same seed, and finds what the last one has stored.
 *
 * @throws Problem `idempotency_key_reused`, `idempotency_in_progress`, and what `run` throws
 */
export function doOnce(deps: OnceDeps) {
  return async (request: KeyedRequest, run: (seed: SecretSeed) => Promise<unknown>): Promise<Answer> => {
    const lastLook = deps.now() + longestWait;
    for (;;) {
      const own = nextTry(deps);
      const begunAt = deps.now();
      const stored = await beginRequest(deps.table, request, own, begunAt);
      if (stored === null) return await work(deps, { request, own, begunAt, left: null }, run);
      if (stored.fingerprint !== request.fingerprint) throw problem('idempotency_key_reused');
      if (stored.answer !== null) return await replayed(deps, request, stored.answer);
      const isLeft = stored.leaseUntil <= deps.now();
      const left = isLeft ? await continueRequest(deps.table, request, stored, own) : null;
      if (left !== null) return await work(deps, { request, own, begunAt: left.begunAt, left }, run);
      if (deps.now() >= lastLook) throw problem('idempotency_in_progress', { retryAfter });
      await deps.wait(lookInterval);
    }
  };
}

function nextTry({ now, randomBytes }: OnceDeps): RequestTry {
  return { token: Buffer.from(randomBytes(9)).toString('base64url'), leaseUntil: now() + requestLease };
}

async function replayed(deps: OnceDeps, key: RequestKey, answer: string): Promise<Answer> {
  return { body: JSON.parse(await deps.decryptAnswer(answer, key)), isReplayed: true };
}

type Work = {
  readonly request: KeyedRequest;
  readonly own: RequestTry;
  readonly begunAt: number;
  /** What an earlier try has left. */
  readonly left: StoredRequest | null;
};

async function work(deps: OnceDeps, given: Work, run: (seed: SecretSeed) => Promise<unknown>): Promise<Answer> {
  const { request, own, left } = given;
  try {
    const body = await run(seedOf(deps, given));
    await guarded(deps, request, async () => {
      const answer = await deps.encryptAnswer(JSON.stringify(body), request);
      await changeRequest(deps.table, request, own.token, { answer });
    });
    return { body, isReplayed: false };
  } catch (error) {
    const isRefused = error instanceof Problem && error.status < 500;
    // An earlier try may have done something: the next one must find it.
    const isFree = isRefused && left === null;
    await guarded(deps, request, () => changeRequest(deps.table, request, own.token, { leaseUntil: 0, isFree }));
    throw error;
  }
}

function seedOf(deps: OnceDeps, { request, own, begunAt, left }: Work): SecretSeed {
  const secret = left?.secret ?? null;
  return {
    at: begunAt,
    entropy: (label) => entropyOf(request, begunAt, label),
    partitionsOf: () => 1,
    isRepeated: left !== null,
    newSecret: async (endpoint) =>
      secret === null
        ? await storedSecret(deps, request, own, endpoint)
        : { encrypted: secret, secret: await deps.decryptSecret(secret, endpoint) },
  };
}

/** The secret is stored before it is used, so that a later try uses the same one. */
async function storedSecret(
  deps: OnceDeps,
  request: RequestKey,
  { token }: RequestTry,
  endpoint: SecretContext,
): Promise<NewSecret> {
  const made = await makeSecret(deps, endpoint);
  if (await changeRequest(deps.table, request, token, { secret: made.encrypted })) return made;
  throw problem('idempotency_in_progress', { retryAfter });
}

/** What was done stays done: without its answer, the next try finds it. */
async function guarded({ report }: OnceDeps, { customerId }: RequestKey, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    report({ name: 'step.failed', step: 'keep-answer', subject: { customerId }, cause });
  }
}
