import type { StoredApiKey } from '#shared/domain/api-key.ts';
import { makeId } from '#shared/domain/ids.ts';
import { type RequestKey, requestKey } from '#shared/domain/request-key.ts';
import type { DecryptAnswer, EncryptAnswer } from '#shared/operations/customer/do-once.ts';
import type { Clock, RandomBytes } from '#shared/operations/ports.ts';

/** The encrypted answer to a request, which is stored together with what the request made. */
export type SealedAnswer = { readonly request: RequestKey; readonly sealed: string; readonly at: number };

/** @returns `false` when the customer does not exist, or the request has an answer already; then nothing is stored */
export type StoreApiKey = (key: StoredApiKey, answer?: SealedAnswer) => Promise<boolean>;

/** The encrypted answer to a request of the last 24 hours. */
export type ReadAnswer = (request: RequestKey) => Promise<string | null>;

/** Every key of a customer, newest first. */
export type ReadApiKeys = (customerId: string) => Promise<readonly StoredApiKey[]>;

/**
 * Revokes a key permanently, from the next request on. Keeps an earlier time; `at` in epoch milliseconds.
 *
 * @returns `null` when the customer has no key with this id
 */
export type MarkApiKeyRevoked = (customerId: string, id: string, at: number) => Promise<StoredApiKey | null>;

type Deps = {
  readonly now: Clock;
  readonly randomBytes: RandomBytes;
  readonly makeKey: (random: Uint8Array) => string;
  readonly hashKey: (key: string) => string;
  readonly storeApiKey: StoreApiKey;
};

type IssuedKey = { readonly key: string; readonly stored: StoredApiKey };

const shownCharacters = 10;

/**
 * Issues a key to a customer. Only the returned value contains the key.
 *
 * @returns `null` when the customer does not exist
 */
export function issueApiKey(deps: Deps) {
  return async (customerId: string): Promise<IssuedKey | null> => {
    const issued = newKey(deps, customerId);
    return (await deps.storeApiKey(issued.stored)) ? issued : null;
  };
}

type Once = Deps & {
  readonly readAnswer: ReadAnswer;
  readonly encryptAnswer: EncryptAnswer;
  readonly decryptAnswer: DecryptAnswer;
};

/**
 * Issues a key once for each idempotency key of the operator, and gives the same answer again for 24 hours. The answer
 * is stored encrypted, in the transaction that stores the key: no try leaves a key that nobody knows.
 *
 * @param present the answer about a new key
 * @returns the answer, and the id of the key if it is new; `null` when the customer does not exist
 */
export function issueApiKeyOnce(deps: Once) {
  return async (
    customerId: string,
    idempotencyKey: string,
    present: (issued: IssuedKey) => object,
  ): Promise<{ readonly answer: unknown; readonly newId: string | null } | null> => {
    // A key of the customer's own requests has no space.
    const request = requestKey(customerId, `operator ${idempotencyKey}`);
    const repeated = async () => {
      const sealed = await deps.readAnswer(request);
      if (sealed === null) return null;
      return { answer: JSON.parse(await deps.decryptAnswer(sealed, request)), newId: null };
    };
    const earlier = await repeated();
    if (earlier !== null) return earlier;
    const issued = newKey(deps, customerId);
    const answer = present(issued);
    const sealed = await deps.encryptAnswer(JSON.stringify(answer), request);
    const isStored = await deps.storeApiKey(issued.stored, { request, sealed, at: issued.stored.createdAt });
    return isStored ? { answer, newId: issued.stored.id } : await repeated();
  };
}

function newKey({ now, randomBytes, makeKey, hashKey }: Deps, customerId: string): IssuedKey {
  const createdAt = now();
  const key = makeKey(randomBytes(32));
  const stored: StoredApiKey = {
    id: makeId('apiKey', createdAt, randomBytes(10)),
    customerId,
    hash: hashKey(key),
    prefix: key.slice(0, shownCharacters),
    createdAt,
    revokedAt: null,
  };
  return { key, stored };
}
