import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  answers,
  createPostWorld,
  hostname,
  ok,
  originOf,
  type PostWorld,
  post,
} from '../../support/http/post-world.ts';

let world: PostWorld;

beforeAll(async () => {
  world = await createPostWorld();
});

afterEach(() => world.close());

describe('the request at the receiver', () => {
  it('a receiver gets the bytes of the body and the headers unchanged', async () => {
    const receiver = await world.receiver(answers(ok));
    const body = Buffer.from([0, 255, 13, 10, 0xc3, 0x28, 34]);
    const client = world.client(receiver.port);

    await client({
      webhookId: 'whe_1',
      url: `${originOf(receiver.port)}/hook?a=1`,
      headers: { 'Content-Type': 'application/json', 'X-Service-Signature': 't=1,v1=ab' },
      body,
    });

    const [head = '', seenBody] = split(Buffer.concat(receiver.received[0] ?? []));
    expect(seenBody).toEqual(body);
    expect(head.split('\r\n')).toEqual([
      'POST /hook?a=1 HTTP/1.1',
      `Host: ${hostname}:${receiver.port}`,
      'Content-Type: application/json',
      'X-Service-Signature: t=1,v1=ab',
      'Accept-Encoding: identity',
      'Content-Length: 7',
      'Connection: keep-alive',
    ]);
  });

  it('a receiver gets the name of the host in the TLS handshake', async () => {
    const seen: unknown[] = [];
    const receiver = await world.receiver({
      ...answers(ok),
      onConnection: (socket) => seen.push('servername' in socket ? socket.servername : undefined),
    });

    await post(world.client(receiver.port), receiver.port);

    expect(seen).toEqual([hostname]);
  });
});

describe('the status of a response', () => {
  it.each([200, 201, 202, 204, 299])('a %i acknowledges', async (status) => {
    const receiver = await world.receiver(answers(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`));

    const result = await post(world.client(receiver.port), receiver.port);

    expect(result).toMatchObject({ outcome: 'acknowledged', responseStatus: status, error: null });
  });

  it.each([300, 301, 302, 303, 304, 307, 308, 400, 401, 404, 410, 429, 500, 503, 599, 999])(
    'a %i is a failed attempt',
    async (status) => {
      const receiver = await world.receiver(answers(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`));

      const result = await post(world.client(receiver.port), receiver.port);

      expect(result).toMatchObject({
        outcome: 'rejected',
        responseStatus: status,
        error: `The receiver responded with status ${status}`,
      });
    },
  );

  it('an attempt does not follow a redirect', async () => {
    const target = await world.receiver(answers(ok));
    const receiver = await world.receiver(
      answers(`HTTP/1.1 307 X\r\nLocation: ${originOf(target.port)}/\r\nContent-Length: 0\r\n\r\n`),
    );
    const trustedOrigins = new Set([originOf(receiver.port), originOf(target.port)]);

    const result = await post(world.client(receiver.port, { trustedOrigins }), receiver.port);

    expect(result.outcome).toBe('rejected');
    expect(target.connectionCount()).toBe(0);
  });

  it('an attempt does not wait for the body of the response', async () => {
    const closed = vi.fn();
    const receiver = await world.receiver({
      onConnection: (socket) => socket.once('close', closed),
      ...answers('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx'),
    });

    const result = await post(world.client(receiver.port), receiver.port);

    expect(result).toMatchObject({ outcome: 'acknowledged', responseStatus: 200 });
    expect(closed).not.toHaveBeenCalled();
    await expect.poll(() => closed).toHaveBeenCalled();
  });

  it.each([
    ['a connection lost after the head', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n', true],
    ['a compressed body that is none', 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip, br\r\n\r\nnope', true],
    ['a body after a 204', 'HTTP/1.1 204 X\r\nContent-Length: 5\r\n\r\nhello', false],
    ['a broken chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', false],
    ['a second answer', `${ok}${ok}`, false],
  ])('acknowledges in spite of %s', async (_case, bytes, isLost) => {
    const receiver = await world.receiver({
      onData: (socket) => socket.write(bytes, () => (isLost ? socket.destroy() : undefined)),
    });

    const result = await post(world.client(receiver.port), receiver.port);

    expect(result.outcome).toBe('acknowledged');
  });

  it('a 2xx that comes before the request was read acknowledges', async () => {
    const receiver = await world.receiver({
      onConnection: (socket) => socket.pause().write('HTTP/1.1 202 Early\r\nContent-Length: 0\r\n\r\n'),
    });
    const body = Buffer.alloc(8 * 1024 * 1024);
    const client = world.client(receiver.port);

    const result = await client({ webhookId: 'whe_1', url: originOf(receiver.port), headers: {}, body });

    expect(result).toMatchObject({ outcome: 'acknowledged', responseStatus: 202 });
  });

  it('a connection with a response body that is too long to drain is closed', async () => {
    const closed = vi.fn();
    const receiver = await world.receiver({
      onConnection: (socket) => socket.once('close', closed),
      onData: (socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(200_000)}`),
    });

    const result = await post(world.client(receiver.port), receiver.port);

    expect(result.outcome).toBe('acknowledged');
    await expect.poll(() => closed).toHaveBeenCalled();
  });
});

describe('timings', () => {
  it('timings have every phase of a first attempt, and only the needed phases of the next one', async () => {
    const receiver = await world.receiver({ onData: (socket) => setTimeout(() => socket.write(ok), 60) });
    const client = world.client(receiver.port);

    const first = await post(client, receiver.port);
    const second = await post(client, receiver.port);

    const whole = expect.toSatisfy(Number.isInteger);
    expect(first.timings).toEqual({ dnsMs: whole, connectMs: whole, tlsMs: whole, firstByteMs: whole });
    expect(first.timings.firstByteMs).toBeGreaterThanOrEqual(55);
    expect(first.durationMs).toBeGreaterThanOrEqual(first.timings.firstByteMs ?? 0);
    expect(second.timings).toEqual({ dnsMs: whole, connectMs: null, tlsMs: null, firstByteMs: whole });
  });
});

describe('faults of the caller', () => {
  it('an attempt rejects a header that would break the request', async () => {
    const receiver = await world.receiver(answers(ok));
    const attempt = world.client(receiver.port)({
      webhookId: 'whe_1',
      url: originOf(receiver.port),
      headers: { 'X-A': 'a\r\nX-B: b' },
      body: Buffer.from('{}'),
    });

    await expect(attempt).rejects.toThrow(/Invalid character/);
    expect(receiver.received.flat()).toEqual([]);
  });
});

function split(bytes: Buffer): [string, Buffer] {
  const end = bytes.indexOf('\r\n\r\n');
  return [bytes.subarray(0, end).toString('latin1'), bytes.subarray(end + 4)];
}
