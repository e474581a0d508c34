import { createServer } from 'node:http';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Forwarded, type ForwardOptions, forwardDelivery } from '../../tools/local/listen/forward-delivery.ts';
import { parseForward } from '../../tools/local/listen/parse-forward.ts';
import { listenOnLoopback } from '../../tools/local/servers/loopback-server.ts';
import { type Certificate, createSelfSigned } from '../support/http/certificates.ts';
import { startRawReceiver } from '../support/http/raw-receiver.ts';

describe('parseForward()', () => {
  it.each([
    ['3000', 'http://localhost:3000/'],
    [':3000', 'http://localhost:3000/'],
    ['3000/hook?a=1', 'http://localhost:3000/hook?a=1'],
    [':3000/hook', 'http://localhost:3000/hook'],
    ['3000?a=1', 'http://localhost:3000/?a=1'],
    ['localhost', 'http://localhost/'],
    ['localhost:3000', 'http://localhost:3000/'],
    ['LocalHost:3000/Hook?x=%2F&y=ü', 'http://localhost:3000/Hook?x=%2F&y=%C3%BC'],
    ['127.0.0.1:3000/hook', 'http://127.0.0.1:3000/hook'],
    ['[::1]:3000/hook', 'http://[::1]:3000/hook'],
    ['myapp.test/hook', 'http://myapp.test/hook'],
    ['app:8080/hook?to=https://example.com/', 'http://app:8080/hook?to=https://example.com/'],
    [' http://localhost:3000/hook ', 'http://localhost:3000/hook'],
    ['HTTPS://localhost:5001', 'https://localhost:5001/'],
    ['https://127.0.0.1:5001/hook?a=1', 'https://127.0.0.1:5001/hook?a=1'],
    ['https://[::1]:5001/', 'https://[::1]:5001/'],
    ['https://myapp.test/hook', 'https://myapp.test/hook'],
  ])('reads %s as %s', (text, href) => {
    expect(parseForward(text).href).toBe(href);
  });

  it.each([
    '',
    ' ',
    '/hook',
    '?a=1',
    '0',
    '65536',
    'localhost:0',
    'localhost:65536',
    'localhost:hook',
    'http://',
    'http:localhost:3000',
    'ftp://localhost:3000',
    'ws://localhost:3000',
    'file:///hook',
    'mailto:me@example.com',
    'user:pass@localhost:3000',
    'http://:pass@localhost:3000',
  ])('refuses "%s", and says what it expects', (text) => {
    expect(() => parseForward(text)).toThrow(
      'Give the address of your server without a user name, such as http://localhost:3000/hook, ' +
        'https://localhost:5001/hook, localhost:3000/hook or 3000',
    );
  });
});

describe('forwardDelivery()', () => {
  const body = '{"a":1}';
  let selfSigned: Certificate;
  beforeAll(async () => {
    selfSigned = await createSelfSigned({ dns: ['elsewhere.example.com'] });
  });

  /** The server of a developer at one address. It answers once it has the body. */
  async function openOwnServer(address: string, tls?: Certificate) {
    const text = (): string => Buffer.concat(server.received.flat()).toString();
    const server = await startRawReceiver({
      address,
      tls,
      onData: (socket) => {
        if (text().endsWith(body)) socket.end('HTTP/1.1 204 No Content\r\n\r\n');
      },
    });
    onTestFinished(() => server.close());
    return { port: server.port, text };
  }

  /** Passes a request on, and returns the response and what is known of it. */
  async function forward(target: URL, options: ForwardOptions = {}) {
    const forwarded = Promise.withResolvers<Forwarded>();
    const received = { headers: [['Host', 'tunnel.example.com']] as const, body: Buffer.from(body) };
    const server = createServer((_request, response) => {
      forwardDelivery(target, received, response, options).then(forwarded.resolve, forwarded.reject);
    });
    const { port, close } = await listenOnLoopback(server, 0);
    onTestFinished(() => close());
    const { status } = await fetch(`http://127.0.0.1:${port}/`);
    return { ...(await forwarded.promise), answered: status };
  }

  it.each([
    ['http', 'localhost', '127.0.0.1'],
    ['http', 'localhost', '::1'],
    ['http', 'app.localhost', '::1'],
    ['https', 'localhost', '127.0.0.1'],
    ['https', 'localhost', '::1'],
    ['https', '127.0.0.1', '127.0.0.1'],
    ['https', '[::1]', '::1'],
  ])('reaches %s://%s on %s, whatever its certificate says', async (scheme, host, address) => {
    const { port, text } = await openOwnServer(address, scheme === 'https' ? selfSigned : undefined);

    const { answered, error } = await forward(new URL(`${scheme}://${host}:${port}/hook?b=2`));

    expect([answered, error]).toEqual([204, null]);
    expect(text().split('\r\n').slice(0, 2)).toEqual(['POST /hook?b=2 HTTP/1.1', `Host: ${host}:${port}`]);
  });

  it('says that the server switches to another protocol', async () => {
    const switches = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const server = await startRawReceiver({ onData: (socket) => socket.write(switches) });
    onTestFinished(() => server.close());

    const origin = `http://127.0.0.1:${server.port}`;
    const { answered, error } = await forward(new URL(origin));

    expect([answered, error]).toEqual([502, `no response from ${origin} (it switches to another protocol)`]);
  });

  it('accepts any certificate of a name that leads to loopback, as those of the hosts file do', async () => {
    const { port } = await openOwnServer('127.0.0.1', selfSigned);

    const systemLookup = async () => ['127.0.0.1', '::1'];
    const { answered } = await forward(new URL(`https://myapp.test:${port}/`), { systemLookup });

    expect(answered).toBe(204);
  });

  it('verifies the certificate of every other host, also when one of its addresses is loopback', async () => {
    const { port, text } = await openOwnServer('127.0.0.1', selfSigned);
    const target = new URL(`https://hooks.example.com:${port}/`);

    const systemLookup = async () => ['127.0.0.1', '203.0.113.9'];
    const { answered, error } = await forward(target, { systemLookup });

    expect([answered, text()]).toEqual([502, '']);
    expect(error).toBe(`no response from ${target.origin} (DEPTH_ZERO_SELF_SIGNED_CERT)`);
  });

  it('says that the host does not resolve', async () => {
    const systemLookup = async () => {
      throw Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
    };

    expect(await forward(new URL('http://unknown.test:3000/'), { systemLookup })).toMatchObject({
      answered: 502,
      error: 'no response from http://unknown.test:3000 (ENOTFOUND)',
    });
  });
});
