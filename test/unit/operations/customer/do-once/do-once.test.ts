import { describe, expect, it } from 'vitest';
import { problem } from '#shared/contract/problem.ts';
import { requestKeyLasts, requestLease } from '#shared/domain/request-key.ts';
import { customerId, startOfTest } from '../../../../support/values/builders.ts';
import { OnceWorld, requestOf } from './once-world.ts';

const hour = 60 * 60_000;

describe('doOnce()', () => {
  it('gives the answer of the first request again, and does nothing', async () => {
    const world = new OnceWorld();
    const body = { id: 'one', secret: 'whsec_1', at: null };

    const first = await world.once(requestOf('a'), async () => body);
    const again = await world.once(requestOf('a'), world.unexpectedRun);

    expect(first).toEqual({ body, isReplayed: false });
    expect(again).toEqual({ body, isReplayed: true });
  });

  it('keeps nothing of the answer or the key in plain text', async () => {
    const world = new OnceWorld();

    await world.once(requestOf('a', 'my-order-7'), async () => ({ secret: 'whsec_1' }));

    expect(JSON.stringify(world.table.rows())).not.toMatch(/whsec_1|my-order-7/);
  });

  it('refuses another request under the key', async () => {
    const world = new OnceWorld();
    await world.once(requestOf('a'), async () => 'done');

    await expect(world.once(requestOf('b'), world.unexpectedRun)).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
  });

  it('refuses another request under the key of one that is under way', async () => {
    const world = new OnceWorld();
    void world.once(requestOf('a'), () => new Promise(() => {}));

    await expect(world.once(requestOf('b'), world.unexpectedRun)).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
  });

  it('waits for the answer of a request that is under way', async () => {
    const world = new OnceWorld();
    const { promise, resolve } = Promise.withResolvers<string>();
    const first = world.once(requestOf('a'), () => promise);
    world.onWait = () => resolve('done');

    const again = await world.once(requestOf('a'), world.unexpectedRun);

    expect(again).toEqual({ body: 'done', isReplayed: true });
    expect(await first).toEqual({ body: 'done', isReplayed: false });
  });

  it('says when to come back if that answer takes long', async () => {
    const world = new OnceWorld();
    void world.once(requestOf('a'), () => new Promise(() => {}));

    await expect(world.once(requestOf('a'), world.unexpectedRun)).rejects.toMatchObject({
      code: 'idempotency_in_progress',
      retryAfter: 5,
    });
    expect(world.clock.now() - startOfTest).toBe(5_000);
  });

  it('leaves the key free when the request was refused before anything was done', async () => {
    const world = new OnceWorld();
    const refused = () => Promise.reject(problem('webhook_not_active'));
    await expect(world.once(requestOf('a'), refused)).rejects.toMatchObject({ code: 'webhook_not_active' });

    expect(await world.once(requestOf('b'), async () => 'done')).toEqual({ body: 'done', isReplayed: false });
  });

  it('continues a request that failed inside with the same seed, at once', async () => {
    const world = new OnceWorld();
    const fails = (seed: unknown) => Promise.reject(Object.assign(new Error('down'), { seed }));
    const failed = await world.once(requestOf('a'), fails).catch((error: unknown) => error);
    world.clock.pass(hour);

    const seed = await world.seedOf(requestOf('a'));

    expect(failed).toMatchObject({ seed: { at: startOfTest, isRepeated: false } });
    expect(seed).toMatchObject({ at: startOfTest, isRepeated: true });
    expect(seed.entropy('webhook')).toEqual(seedIn(failed).entropy('webhook'));
    expect(seed.entropy('webhook')).not.toEqual(seed.entropy('event'));
  });

  it('continues a request whose function died when its lease is over', async () => {
    const world = new OnceWorld();
    void world.once(requestOf('a'), () => new Promise(() => {}));
    world.clock.pass(requestLease);

    expect(await world.seedOf(requestOf('a'))).toMatchObject({ at: startOfTest, isRepeated: true });
  });

  it('keeps the seed of a request that is refused after an earlier try', async () => {
    const world = new OnceWorld();
    await world.once(requestOf('a'), () => Promise.reject(new Error('down'))).catch(() => {});
    await world.once(requestOf('a'), () => Promise.reject(problem('webhook_not_active'))).catch(() => {});

    await expect(world.once(requestOf('b'), world.unexpectedRun)).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    expect(await world.seedOf(requestOf('a'))).toMatchObject({ at: startOfTest, isRepeated: true });
  });

  it('makes one secret for all tries of a request', async () => {
    const world = new OnceWorld();
    const endpoint = { customerId, webhookId: 'whe_1' };
    let first: unknown;
    const run = world.once(requestOf('a'), async (seed) => {
      first = await seed.newSecret(endpoint);
      throw new Error('down');
    });
    await expect(run).rejects.toThrow('down');

    const { body } = await world.once(requestOf('a'), (seed) => seed.newSecret(endpoint));

    expect(body).toEqual(first);
  });

  it('answers although the answer cannot be kept, and reports it', async () => {
    const world = new OnceWorld({ encryptAnswer: () => Promise.reject(new Error('throttled')) });

    expect(await world.once(requestOf('a'), async () => 'done')).toEqual({ body: 'done', isReplayed: false });
    expect(world.reports).toMatchObject([{ name: 'step.failed', step: 'keep-answer' }]);
  });

  it('makes other ids for another request after 24 hours', async () => {
    const world = new OnceWorld();
    const before = await world.seedOf(requestOf('a'));
    world.clock.pass(requestKeyLasts);

    const after = await world.seedOf(requestOf('a'));

    expect(after).toMatchObject({ at: startOfTest + requestKeyLasts, isRepeated: false });
    expect(after.entropy('webhook')).not.toEqual(before.entropy('webhook'));
  });
});

function seedIn(error: unknown): { readonly entropy: (label: string) => Uint8Array } {
  return (error as { seed: { entropy: (label: string) => Uint8Array } }).seed;
}
