import { expect, it } from 'vitest';
import { bulkReplayBody } from '#shared/contract/records/bulk-replay.ts';

it.each([
  ['status', { status: 'pending' }],
  ['created_after', { created_after: undefined }],
  ['created_after', { created_after: '2026-01-01' }],
  ['rate', { rate: 0 }],
  ['rate', { rate: 0.5 }],
  ['rate', { rate: 26 }],
])('the request for a bulk replay refuses at %s: %o', (name, wrong) => {
  const request = { status: 'failed', created_after: '2026-11-20T12:00:00Z', rate: 25 };

  expect(bulkReplayBody.safeParse(request).success).toBe(true);
  expect(bulkReplayBody.safeParse({ ...request, ...wrong }).error?.issues).toMatchObject([{ path: [name] }]);
});
