import { describe, expect, it } from 'vitest';
import { isUntried } from '../../../console/views/endpoints/is-untried.ts';

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
