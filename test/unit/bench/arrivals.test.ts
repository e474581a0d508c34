import { describe, expect, it } from 'vitest';
import { Arrivals } from '../../../bench/support/arrivals.ts';

const longMs = 60_000;

describe('Arrivals', () => {
  it('keeps the time of the first POST of a Run', () => {
    const arrivals = new Arrivals();

    arrivals.add('run_1', 5);
    arrivals.add('run_1', 9);

    expect([arrivals.at('run_1'), arrivals.at('run_2')]).toEqual([5, null]);
  });

  it('waits until the last of several Runs has arrived', async () => {
    const arrivals = new Arrivals();
    arrivals.add('run_1', 1);
    let isOver = false;
    const waiting = arrivals.all(['run_1', 'run_2', 'run_3'], longMs).then(() => {
      isOver = true;
    });

    arrivals.add('run_2', 2);
    await Promise.resolve();
    const isOverEarly = isOver;
    arrivals.add('run_3', 3);
    await waiting;

    expect(isOverEarly).toBe(false);
  });

  it('stops waiting when the time is over', async () => {
    const arrivals = new Arrivals();

    await arrivals.all(['run_1'], 1);

    expect(arrivals.at('run_1')).toBeNull();
  });
});
