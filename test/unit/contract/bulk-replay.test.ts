import { describe, expect, it } from 'vitest';
import { bulkReplayBody } from '#shared/contract/records/bulk-replay.ts';

describe('the request for a bulk replay', () => {
  it.each(['created_after', 'created_before'])(
    'takes no %s before 1970, which no response could show',
    (name) => {
      const request = { status: 'failed', created_after: '2026-11-20T12:00:00Z' };
      const parse = (text: string) => bulkReplayBody.safeParse({ ...request, [name]: text });

      expect(parse('1970-01-01T00:00:00Z').success).toBe(true);
      expect(parse('0000-01-01T00:00:00+14:00').error?.issues).toMatchObject([
        { path: [name], message: 'must not be before `1970-01-01T00:00:00Z`' },
      ]);
    },
  );

  it.each([
    ['status', { status: 'pending' }],
    ['created_after', { created_after: undefined }],
    ['created_after', { created_after: '2026-01-01' }],
    ['rate', { rate: 0 }],
    ['rate', { rate: 0.5 }],
    ['rate', { rate: 26 }],
  ])('refuses at %s: %o', (name, wrong) => {
    const request = { status: 'failed', created_after: '2026-11-20T12:00:00Z', rate: 25 };

    expect(bulkReplayBody.safeParse(request).success).toBe(true);
    expect(bulkReplayBody.safeParse({ ...request, ...wrong }).error?.issues).toMatchObject([
      { path: [name] },
    ]);
  });
});
