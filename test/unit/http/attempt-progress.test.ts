import { describe, expect, it } from 'vitest';
import { AttemptProgress } from '#shared/http/attempt-progress.ts';
import { createClock } from '../../support/operations/deps.ts';
import { startOfTest } from '../../support/values/builders.ts';

describe('AttemptProgress', () => {
  it('AttemptProgress measures no negative time when the clock is set back', () => {
    const clock = createClock(startOfTest);
    const progress = new AttemptProgress(clock.now);

    progress.begin('dnsMs');
    clock.pass(-3_600_000);
    progress.end();

    expect(progress.timings.dnsMs).toBe(0);
    expect(progress.durationMs).toBe(0);
  });
});
