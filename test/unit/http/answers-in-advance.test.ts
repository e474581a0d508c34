import type { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AttemptProgress } from '#shared/http/attempt-progress.ts';
import { answers, ok, post, settled, usePostWorld } from '../../support/http/post-world.ts';

const tries = 10;
const world = await usePostWorld();

afterEach(() => {
  vi.restoreAllMocks();
});

/** A receiver that can send what answers no request: over loopback, the bytes arrive before this thread can read them. */
async function startHastyReceiver() {
  let latest: Socket | undefined;
  const receiver = await world.receiver({
    ...answers(ok),
    tls: { ...world.certificate, maxVersion: 'TLSv1.2' },
    onConnection: (socket) => {
      // Otherwise the kernel holds a second answer back until the first one is acknowledged.
      latest = socket.setNoDelay(true);
    },
  });
  const answerInAdvance = () => latest?.write('HTTP/1.1 299 In advance\r\nContent-Length: 0\r\n\r\n');
  return { ...receiver, client: world.client(receiver.port), answerInAdvance };
}

describe('an early response', () => {
  it('an early response on a kept connection is ignored: the attempt uses a new connection', async () => {
    const { client, port, answerInAdvance, connectionCount } = await startHastyReceiver();
    const statuses: (number | null)[] = [];
    await post(client, port);

    for (let attempt = 0; attempt < tries; attempt += 1) {
      await settled();
      answerInAdvance();
      statuses.push((await post(client, port)).responseStatus);
    }

    expect(statuses).toEqual(statuses.map(() => 200));
    expect(connectionCount()).toBe(1 + tries);
  });

  it('an early response on a new connection fails the attempt', async () => {
    const { client, port, answerInAdvance } = await startHastyReceiver();
    const { end } = AttemptProgress.prototype;
    vi.spyOn(AttemptProgress.prototype, 'end').mockImplementation(function (this: AttemptProgress) {
      end.call(this);
      if (this.phase === 'tlsMs') answerInAdvance();
    });

    const results = [];
    for (let attempt = 0; attempt < tries; attempt += 1) results.push(await post(client, port));

    for (const result of results) {
      expect(result).toMatchObject({
        outcome: 'invalid_response',
        responseStatus: null,
        error: 'The receiver responded before the request was sent',
      });
    }
  });
});
