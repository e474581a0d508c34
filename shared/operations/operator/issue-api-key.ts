import { storeApiKey } from '#shared/aws/table/credentials/customers.ts';
import { readAnswer } from '#shared/aws/table/requests/requests.ts';
import type { StoredApiKey } from '#shared/domain/api-key.ts';
import { makeId } from '#shared/domain/ids.ts';
import { operatorRequestKey } from '#shared/domain/request-key.ts';
import type { Needs } from '#shared/operations/needs.ts';

type Deps = Pick<Needs, 'table' | 'now' | 'randomBytes'> & {
  readonly makeKey: (random: Uint8Array) => string;
  readonly hashKey: (key: string) => string;
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
    return (await storeApiKey(deps.table, issued.stored)) ? issued : null;
  };
}

/**
 * Issues a key once for each idempotency key of the operator, and gives the same answer again for 24 hours. The answer
 * is stored encrypted, in the transaction that stores the key: no try leaves a key that nobody knows.
 *
 * @param present the answer about a new key
 * @returns the answer, and the id of the key if it is new; `null` when the customer does not exist
 */
export function issueApiKeyOnce(deps: Deps & Pick<Needs, 'encryptAnswer' | 'decryptAnswer'>) {
  return async (
    customerId: string,
    idempotencyKey: string,
    present: (issued: IssuedKey) => object,
  ): Promise<{ readonly answer: unknown; readonly newId: string | null } | null> => {
    const request = operatorRequestKey(customerId, idempotencyKey);
    const repeated = async () => {
      const sealed = await readAnswer(deps.table, request, deps.now());
      if (sealed === null) return null;
      return { answer: JSON.parse(await deps.decryptAnswer(sealed, request)), newId: null };
    };
    const earlier = await repeated();
    if (earlier !== null) return earlier;
    const issued = newKey(deps, customerId);
    const answer = present(issued);
    const sealed = await deps.encryptAnswer(JSON.stringify(answer), request);
    const isStored = await storeApiKey(deps.table, issued.stored, {
      request,
      sealed,
      at: issued.stored.createdAt,
    });
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
