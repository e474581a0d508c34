import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LoopbackServer, listenOnLoopback } from '../../local/servers/loopback-server.ts';
import { ServiceSwitch } from './service-switch.ts';

let service: LoopbackServer;
let seen: string[];
/** Whether the service itself leaves requests without an answer. */
let isHolding: boolean;
let away: ServiceSwitch;

beforeEach(async () => {
  seen = [];
  isHolding = false;
  const server = createServer(async (request, response) => {
    seen.push(`${request.method} ${request.url} ${await buffer(request)}`);
    if (!isHolding) response.end('done');
  });
  service = await listenOnLoopback(server, 0);
  away = await ServiceSwitch.inFrontOf(`http://127.0.0.1:${service.port}`);
});
afterEach(async () => {
  await away.close();
  await service.close();
});

const call = (signal: AbortSignal | null = null) =>
  fetch(`${away.url}/path?query`, { method: 'POST', body: 'body', signal });

describe('ServiceSwitch', () => {
  it('ServiceSwitch forwards requests, also after an outage', async () => {
    const before = await call();
    await away.takeAway({ kind: 'refuse' });
    await away.bringBack();
    const after = await call();

    expect([await before.text(), await after.text()]).toEqual(['done', 'done']);
    expect(seen).toEqual(['POST /path?query body', 'POST /path?query body']);
  });

  it('ServiceSwitch refuses connections during an outage', async () => {
    await away.takeAway({ kind: 'refuse' });

    await expect(call()).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    expect(seen).toEqual([]);
  });

  it('ServiceSwitch lets requests hang during an outage', async () => {
    await away.takeAway({ kind: 'hang' });

    await expect(call(AbortSignal.timeout(200))).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(seen).toEqual([]);
  });

  it('ServiceSwitch closes open connections when an outage begins', async () => {
    isHolding = true;
    const underWay = call().then(
      () => 'answered',
      () => 'cut off',
    );
    await expect.poll(() => seen).toHaveLength(1);

    await away.takeAway({ kind: 'hang' });

    expect(await underWay).toBe('cut off');
  });

  it('ServiceSwitch responds with an error of AWS during an outage', async () => {
    await away.takeAway({ kind: 'answer', status: 400, code: 'ThrottlingException' });

    const answer = await call();

    expect(answer.status).toBe(400);
    expect(answer.headers.get('x-amzn-errortype')).toBe('ThrottlingException');
    expect(await answer.json()).toMatchObject({ __type: 'ThrottlingException' });
    expect(seen).toEqual([]);
  });
});
