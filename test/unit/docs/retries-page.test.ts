import { describe, expect, it } from 'vitest';
import { attemptOutcomes } from '#shared/domain/attempt.ts';
import { deliveryStatuses } from '#shared/domain/delivery.ts';
import { attemptTimeout, maxAttempts, retryWaits } from '#shared/domain/retry-plan.ts';
import { rotationOverlap } from '#shared/domain/signing-secret.ts';
import { failureOf, timedOut } from '#shared/http/attempt-failure.ts';
import { rowsWith } from '../../architecture/test-titles.ts';
import { expectShown, readPage } from '../../support/docs/page-examples.ts';
import { type Ending, shownDelivery } from '../../support/docs/shown-deliveries.ts';

const { text: page } = await readPage('retries-and-replay.md');
const minute = 60_000;
const firstColumn = (name: string) => rowsWith(page, name).map(([cell]) => cell?.replaceAll('`', ''));

const slow = timedOut('firstByteMs', attemptTimeout);
const refused = failureOf(Object.assign(new Error(), { code: 'ECONNREFUSED' }), 'connectMs');
const endings: readonly Ending[] = [
  {
    outcome: 'rejected',
    responseStatus: 503,
    error: 'The receiver responded with status 503',
    timings: { dnsMs: 12, connectMs: 31, tlsMs: 58, firstByteMs: 79 },
  },
  {
    outcome: slow.outcome,
    responseStatus: null,
    error: slow.message,
    durationMs: attemptTimeout,
    timings: { dnsMs: 9, connectMs: 30, tlsMs: 61, firstByteMs: null },
  },
  {
    outcome: refused.outcome,
    responseStatus: null,
    error: refused.message,
    durationMs: 41,
    timings: { dnsMs: 10, connectMs: null, tlsMs: null, firstByteMs: null },
  },
];

describe('docs/pages/retries-and-replay.md', () => {
  it('docs/pages/retries-and-replay.md shows a delivery as the API returns it', async () => {
    await expectShown('retries-and-replay.md', { 'failed delivery': shownDelivery(endings) });
  });

  it('has a row for every attempt, outcome and status', () => {
    expect(firstColumn('Attempt')).toEqual(Array.from({ length: maxAttempts }, (_, index) => `${index + 1}`));
    expect(firstColumn('Outcome')).toEqual([...attemptOutcomes]);
    expect(firstColumn('Status')).toEqual([...deliveryStatuses]);
  });

  it('names the times that the service keeps', () => {
    const waits = retryWaits.map((wait) => wait / minute);

    expect(page).toContain(`| About ${waits[0]} minutes after the end of the first |`);
    expect(page).toContain(`| About ${waits[1]} minutes after the end of the second,`);
    expect(page).toContain(`within ${attemptTimeout / 1000} seconds of the start of the attempt`);
    expect(page).toContain(`Within ${rotationOverlap / (60 * minute)} hours, replace`);
  });
});
