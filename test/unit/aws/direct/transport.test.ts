import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createTransport } from '#shared/aws/direct/transport.ts';
import { ok, silent, startScriptedService } from '../../../support/aws/scripted-service.ts';

const limits = { maxSockets: 10, patience: 200 };
const post = (url: string, body = '{}') => ({ url: new URL(url), headers: { 'x-test': 'yes' }, body });

describe('createTransport()', () => {
  it('posts the body with its length in bytes, and returns status, headers and text', async () => {
    const { url, requests } = await startScriptedService(ok('{"text":"ä"}'));

    const answer = await createTransport(limits).post(post(`${url}/path`, '"ä"'));

    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/x-amz-json-1.0' },
      body: '{"text":"ä"}',
    });
    expect(requests).toMatchObject([
      { method: 'POST', path: '/path', headers: { 'content-length': '4', 'x-test': 'yes' }, body: '"ä"' },
    ]);
  });

  it('uses a connection again', async () => {
    const { url, connections } = await startScriptedService(ok());
    const transport = createTransport(limits);

    for (let count = 0; count < 5; count += 1) await transport.post(post(url));

    expect(connections()).toBe(1);
  });

  it('opens a connection for each request of a burst', async () => {
    const waiting: ServerResponse[] = [];
    const { url, connections } = await startScriptedService((response) => {
      if (waiting.push(response) === 40) for (const each of waiting) each.end('{}');
    });
    const transport = createTransport({ maxSockets: 100, patience: 3_000 });

    await Promise.all(Array.from({ length: 40 }, () => transport.post(post(url))));

    expect(connections()).toBe(40);
  });

  it('gives up on a service that accepts a request and is silent', async () => {
    const { url, requests } = await startScriptedService(silent);

    const answer = createTransport({ ...limits, patience: 20 }).post(post(url));

    await expect(answer).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(requests).toHaveLength(1);
  });

  it('waits for a slow response as long as more of it arrives', async () => {
    const { url } = await startScriptedService((response) => {
      response.writeHead(200);
      const parts = ['[1', ',2', ',3', ',4', ',5]'];
      const timer = setInterval(() => {
        const part = parts.shift();
        if (part !== undefined) return void response.write(part);
        clearInterval(timer);
        response.end();
      }, 100);
    });

    const answer = await createTransport({ ...limits, patience: 250 }).post(post(url));

    expect(answer.body).toBe('[1,2,3,4,5]');
  });

  it('does not count the time during which this process did other work', async () => {
    const { url } = await startScriptedService((response) => {
      response.end('{"a":1}');
      // The response has left, and waits until this process, which is also the client, comes to read it.
      const end = performance.now() + 150;
      while (performance.now() < end);
    });

    const answer = await createTransport({ ...limits, patience: 100 }).post(post(url));

    expect(answer.body).toBe('{"a":1}');
  });

  it('gives up on a connection that does not open', async () => {
    // A full backlog leaves further connections unanswered; the client sees the same silence as behind a firewall.
    const server = createTcpServer({ pauseOnConnect: true });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;

    const answer = createTransport({ ...limits, patience: 30 }).post(post(`https://127.0.0.1:${port}`));

    await expect(answer).rejects.toMatchObject({ name: 'TimeoutError' });
    server.close();
  });

  it('fails at once when nothing listens', async () => {
    await expect(createTransport(limits).post(post('http://127.0.0.1:1'))).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
  });
});
