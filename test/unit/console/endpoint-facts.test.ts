import { describe, expect, it } from 'vitest';
import { isUntried, worstFirst } from '../../../console/views/endpoints/endpoint-facts.ts';

const at = '2026-11-20T09:30:30.000Z';
const before = '2026-11-20T09:30:29.999Z';
const after = '2026-11-20T09:30:30.001Z';

describe('isUntried()', () => {
  it.each([
    ['the attempt of the handshake began before the activation', 'active', before, true],
    ['both are in the same millisecond', 'active', at, true],
    ['another attempt came later', 'active', after, false],
    ['it failed', 'failed', before, false],
    ['it was deleted', 'deleted', before, false],
  ] as const)('decides when %s', (_, status, last, expected) => {
    expect(isUntried({ status, activated_at: at, last_delivery_at: last })).toBe(expected);
  });
});

it('endpoints that fail come first, then those with the most failures', () => {
  const at = (id: string, since: string | null = null) => ({ id, failing_since: since });
  const failures = new Map(
    Object.entries({ a: 0, b: 2, c: 9, d: 1 }).map(([id, failed]) => [
      id,
      { deliveries: { pending: 0, delivered: 0, failed } },
    ]),
  );
  const endpoints = [at('a'), at('b'), at('c'), at('d', '2026-11-22T09:00:00Z')];
  const idsOf = (figures: typeof failures | null) => worstFirst(endpoints, figures).map(({ id }) => id);

  expect(idsOf(failures)).toEqual(['d', 'c', 'b', 'a']);
  expect(idsOf(null)).toEqual(['d', 'a', 'b', 'c']);
});
