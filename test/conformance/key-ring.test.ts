import { describe, expect, it } from 'vitest';
import { KeyRing } from '../../tools/conformance/harness/key-ring.ts';

/** A clock that only `sleep` advances. */
function fakePace() {
  let time = 0;
  const waits: string[] = [];
  return {
    waits,
    now: () => time,
    sleep: async (ms: number) => {
      time += ms;
    },
    onWait: (reason: string) => waits.push(reason),
  };
}

async function use(ring: KeyRing, count: number): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const { key, done } = await ring.take();
    keys.push(key);
    done();
  }
  return keys;
}

describe('KeyRing', () => {
  it('uses each key 60 times without waiting, then waits out the minute and says why once', async () => {
    const pace = fakePace();
    const ring = new KeyRing(['a', 'b'], pace);

    const keys = await use(ring, 120);
    expect([pace.now(), pace.waits, keys.filter((key) => key === 'a').length]).toEqual([0, [], 60]);
    await use(ring, 1);

    expect(pace.now()).toBeGreaterThanOrEqual(60_000);
    expect(pace.now()).toBeLessThan(62_000);
    expect(pace.waits).toEqual(['all 2 keys have used up their requests per minute']);
    expect(ring.taken).toBe(121);
  });

  it('counts requests that are not answered yet', async () => {
    const pace = fakePace();
    const ring = new KeyRing(['a'], pace);
    const leases = await Promise.all(Array.from({ length: 60 }, () => ring.take()));
    const later = ring.take();
    for (const { done } of leases) done();

    await later;

    expect(pace.now()).toBeGreaterThanOrEqual(60_000);
  });
});
