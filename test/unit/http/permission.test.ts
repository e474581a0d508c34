import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { readingLasts } from '#shared/domain/endpoint.ts';
import { attemptTimeout } from '#shared/domain/retry-plan.ts';
import { deployedDeadline } from '../../support/http/attempt-clock.ts';
import {
  answers,
  createPostWorld,
  hostname,
  ok,
  originOf,
  type PostWorld,
  settled,
} from '../../support/http/post-world.ts';
import { webhookId } from '../../support/values/builders.ts';

let world: PostWorld;
beforeAll(async () => {
  world = await createPostWorld();
});
afterEach(async () => {
  vi.useRealTimers();
  await world.close();
});

const body = Buffer.from('{}');
const given = { 'X-Service-Event-Id': 'evt_1' };

describe('the headers of an attempt', () => {
  it('an attempt asks for its headers once connected, before it sends anything, and again if they took time', async () => {
    const receiver = await world.receiver(answers(ok));
    const seen: unknown[] = [];

    const result = await world.postEvent(receiver.port)({
      webhookId,
      url: `${originOf(receiver.port)}/hook`,
      headers: async () => {
        if (seen.length === 0) await nextTurn();
        seen.push({ connections: receiver.connectionCount(), requests: receiver.received.flat().length });
        return given;
      },
      body,
    });

    const untouched = { connections: 1, requests: 0 };
    expect(seen).toEqual([untouched, untouched]);
    expect(result).toMatchObject({ outcome: 'acknowledged' });
    expect(Buffer.concat(receiver.received.flat()).toString()).toContain('X-Service-Event-Id: evt_1');
  });

  it('an attempt asks for its headers only if it can connect', async () => {
    const receiver = await world.receiver(answers(ok));
    const client = world.postEvent(receiver.port, {
      resolve: async () => ({ ok: false, code: 'ENOTFOUND' }),
    });

    const result = await client({
      webhookId,
      url: `https://${hostname}:${receiver.port}/hook`,
      headers: () => Promise.reject(new Error('The test did not expect this to be asked')),
      body,
    });

    expect(result).toMatchObject({ outcome: 'dns_failed' });
  });

  it.each(['endpoint_deleted', 'endpoint_unread'] as const)(
    'an attempt sends nothing if its headers are %s',
    async (why) => {
      const receiver = await world.receiver(answers(ok));

      const result = await world.postEvent(receiver.port)({
        webhookId,
        url: `${originOf(receiver.port)}/hook`,
        headers: async () => why,
        body,
      });

      expect(result).toBe(why);
      await expect.poll(() => receiver.openCount()).toBe(0);
      expect(receiver.received.flat()).toEqual([]);
    },
  );

  it('an attempt ignores a response that arrives while its headers are awaited', async () => {
    const spoken = Promise.withResolvers<unknown>();
    const receiver = await world.receiver({
      onConnection: (socket) => void socket.write(ok, spoken.resolve),
    });
    let asked = 0;

    const result = await world.postEvent(receiver.port)({
      webhookId,
      url: `${originOf(receiver.port)}/hook`,
      headers: async () => {
        asked += 1;
        if (asked === 1) await spoken.promise.then(() => nextTurn());
        return given;
      },
      body,
    });

    expect(result).toMatchObject({ outcome: 'invalid_response', responseStatus: null });
    expect(receiver.received.flat()).toEqual([]);
  });

  it('an attempt asks for its headers again as often as they take time', async () => {
    const receiver = await world.receiver(answers(ok));
    let asked = 0;

    const result = await world.postEvent(receiver.port)({
      webhookId,
      url: `${originOf(receiver.port)}/hook`,
      headers: async () => {
        asked += 1;
        if (asked < 6) await nextTurn();
        return given;
      },
      body,
    });

    expect(result).toMatchObject({ outcome: 'acknowledged' });
    expect(asked).toBe(6);
  });

  it('an attempt rethrows a failure of its headers and sends nothing', async () => {
    const receiver = await world.receiver(answers(ok));
    const fault = new Error('table is down');

    const posted = world.postEvent(receiver.port)({
      webhookId,
      url: `${originOf(receiver.port)}/hook`,
      headers: () => Promise.reject(fault),
      body,
    });

    await expect(posted).rejects.toBe(fault);
    await expect.poll(() => receiver.openCount()).toBe(0);
    expect(receiver.received.flat()).toEqual([]);
  });
});

describe('while headers are awaited', () => {
  it('no other attempt gets a kept connection while headers are awaited', async () => {
    const receiver = await world.receiver(answers(ok));
    const client = world.postEvent(receiver.port);
    const url = `${originOf(receiver.port)}/hook`;
    const post = (headers: () => Promise<Record<string, string>>) =>
      client({ webhookId, url, headers, body });
    await post(async () => given);
    await settled();
    const gate = Promise.withResolvers<void>();
    const waiting = async () => {
      await gate.promise;
      return given;
    };

    const both = [post(waiting), post(waiting)];
    gate.resolve();

    expect(await Promise.all(both)).toMatchObject([{ outcome: 'acknowledged' }, { outcome: 'acknowledged' }]);
    expect(receiver.connectionCount()).toBe(2);
  });

  it('a kept connection that became too old while headers were awaited is not used', async () => {
    const receiver = await world.receiver(answers(ok));
    let time = 0;
    const client = world.postEvent(receiver.port, { now: () => time });
    const post = (headers: () => Promise<Record<string, string>>) =>
      client({ webhookId, url: `${originOf(receiver.port)}/hook`, headers, body });
    await post(async () => given);
    await settled();

    const result = await post(async () => {
      time += 4_000;
      return given;
    });

    expect(result).toMatchObject({ outcome: 'acknowledged' });
    expect(receiver.received.map((chunks) => chunks.length)).toEqual([1, 1]);
  });

  it.each([
    { took: readingLasts, end: { outcome: 'timed_out' } },
    { took: readingLasts + 1, end: 'endpoint_unread' },
  ])(
    'a missed deadline counts against the receiver only if the headers took no longer than allowed: $took ms',
    async ({ took, end }) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const receiver = await world.receiver(answers(ok));
      let time = 0;
      const client = world.postEvent(receiver.port, { ...deployedDeadline, now: () => time });

      const result = await client({
        webhookId,
        url: `${originOf(receiver.port)}/hook`,
        headers: async () => {
          await nextTurn();
          vi.advanceTimersByTime(attemptTimeout);
          time += took;
          return given;
        },
        body,
      });

      if (typeof end === 'string') expect(result).toBe(end);
      else expect(result).toMatchObject(end);
      expect(receiver.received.flat()).toEqual([]);
    },
  );
});
