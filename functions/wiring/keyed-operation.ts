import { decryptAnswer, encryptAnswer } from '#shared/aws/answer-cipher.ts';
import { connectKeys } from '#shared/aws/clients.ts';
import { decryptSecret, encryptSecret } from '#shared/aws/secret-cipher.ts';
import type { CustomerOperation } from '#shared/contract/routes.ts';
import { doOnce } from '#shared/operations/customer/do-once.ts';
import type { SecretSeed } from '#shared/operations/seed.ts';
import type { ApiRequest } from '#shared/runtime/api-request.ts';
import { setting } from '#shared/runtime/environment.ts';
import { keyedRequestOf } from '#shared/runtime/idempotency-key.ts';
import { ReplayedBody } from '#shared/runtime/responses.ts';
import { monotonic, now, randomBytes, wait } from '#shared/runtime/system.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { type Done, noteDone } from './activity.ts';
import { customerOperation, table } from './customer-operation.ts';

const keys = connectKeys();
const keyArn = setting('secretsKeyArn');

/** Encrypts the secrets that requests of this function make. */
export const encrypt = encryptSecret(keys, keyArn);

const once = doOnce({
  table,
  now,
  wait,
  randomBytes,
  report,
  encryptAnswer: encryptAnswer(keys, keyArn, randomBytes),
  decryptAnswer: decryptAnswer(keys, keyArn),
  encryptSecret: encrypt,
  decryptSecret: decryptSecret(keys, keyArn, { maxEntries: 1, timeToLive: 0, now, monotonic }),
});

type Result<Body> = { readonly body: Body; readonly done: Done | null };

/**
 * Builds the Lambda handler of an operation that changes something and takes an `Idempotency-Key`.
 *
 * @param parse reads path and body; with the operation, its result decides whether two requests are the same
 * @param run returns the body of a success, and what it did to an endpoint, for its activity: `null` for nothing.
 *   Without a seed, the request has no key
 */
export function keyedOperation<Given, Body>(
  operation: CustomerOperation,
  parse: (request: ApiRequest) => Given,
  run: (given: Given, request: ApiRequest, seed: SecretSeed | undefined) => Promise<Result<Body>>,
) {
  return customerOperation(operation, async (request) => {
    const given = parse(request);
    const noted = async (seed?: SecretSeed) => {
      const { body, done } = await run(given, request, seed);
      if (done !== null) await noteDone(request, done, seed);
      return body;
    };
    const keyed = keyedRequestOf(operation, request, given);
    if (keyed === null) return await noted();
    const { body, isReplayed } = await once(keyed, noted);
    return isReplayed ? new ReplayedBody(body) : body;
  });
}
