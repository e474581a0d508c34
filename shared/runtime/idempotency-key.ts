import { invalidRequest } from '#shared/contract/problem.ts';
import type { CustomerOperation } from '#shared/contract/routes.ts';
import { type KeyedRequest, keyedRequest, requestKey, requestKeyForm } from '#shared/domain/request-key.ts';
import type { ApiRequest } from './api-request.ts';

const header = 'Idempotency-Key';

/**
 * A request under the key that it has; `null` without one.
 *
 * @param given what was parsed of its path and body
 * @throws Problem `invalid_request`
 */
export function keyedRequestOf(
  operation: CustomerOperation,
  { customerId, idempotencyKey }: Pick<ApiRequest, 'customerId' | 'idempotencyKey'>,
  given: unknown,
): KeyedRequest | null {
  if (idempotencyKey === null) return null;
  if (!requestKeyForm.test(idempotencyKey)) {
    throw invalidRequest(header, `\`${header}\` must have 1 to 255 visible ASCII characters, without spaces`);
  }
  return keyedRequest(requestKey(customerId, idempotencyKey), operation, given);
}
