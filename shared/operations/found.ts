import { problem } from '#shared/contract/problem.ts';

/**
 * A record that was read by customer and id together, so that a missing record and another customer's look the same.
 *
 * @throws Problem `not_found` for `null`
 */
export function found<T>(record: T | null): T {
  if (record === null) throw problem('not_found');
  return record;
}
