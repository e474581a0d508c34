import { afterEach, describe, expect, it, vi } from 'vitest';
import { createUrlCheck } from '#shared/http/check-endpoint-url.ts';
import { createResolveHost } from '#shared/http/resolve-host.ts';
import { deadlinesRun, hasEnded, stopDeadlines } from '../../support/http/attempt-clock.ts';
import { type NameServer, type NameServerAnswer, startNameServer } from '../../support/http/name-server.ts';

const google = [0x20, 0x01, 0x48, 0x60, 0x48, 0x60, ...Array<number>(8).fill(0), 0x88, 0x88];
const loopback = [...Array<number>(15).fill(0), 1];
const loopbackAddresses = ['127.0.0.1', '::1'];
const never = new AbortController().signal;
let server: NameServer | undefined;

afterEach(async () => {
  vi.useRealTimers();
  await server?.close();
  server = undefined;
});

describe('createResolveHost()', () => {
  it('gives all addresses of both families', async () => {
    const ofIpv4 = ['8.8.8.8', '10.0.0.1'].map((address) => address.split('.').map(Number));
    const resolve = await resolver((question) => (question.startsWith('AAAA') ? [google] : ofIpv4));

    const result = await resolve('example.com', never);

    expect(result).toEqual({ ok: true, addresses: ['8.8.8.8', '10.0.0.1', '2001:4860:4860::8888'] });
    expect([...new Set(server?.questions)].toSorted()).toEqual(['A example.com', 'AAAA example.com']);
  });

  it('judges an address of the slower family too', async () => {
    // The time that IPv6 may still take runs once the answer for IPv4 has arrived.
    let running = 1;
    server = await startNameServer(async (question) => {
      if (question.startsWith('A ')) return [[8, 8, 8, 8]];
      await deadlinesRun(running);
      return [loopback];
    });
    const resolve = createResolveHost({ trustedOrigins: new Set(), servers: [server.address] });
    const check = createUrlCheck({ resolve, trustedOrigins: new Set() });
    stopDeadlines();

    const result = await resolve('example.com', never);
    // The check has a time limit of its own.
    running = 2;
    const verdict = await check('https://example.com/hook');

    expect(result).toEqual({ ok: true, addresses: ['8.8.8.8', '::1'] });
    expect(verdict).toEqual({
      ok: false,
      detail: 'The host of the URL must resolve to public addresses only; one of its IPv6 addresses is not public',
    });
  });

  it('ends when the signal aborts', async () => {
    const asked = Promise.withResolvers<void>();
    const resolve = await resolver(() => {
      asked.resolve();
      return 'silence';
    });
    const end = new AbortController();

    const lookup = resolve('example.com', end.signal);
    await asked.promise;
    end.abort();

    expect(await lookup).toEqual({ ok: false, code: 'ETIMEOUT' });
  });

  it('resolves a name while many others hang', async () => {
    const answersOf: Record<string, NameServerAnswer> = {
      'A fast.example.com': [[8, 8, 8, 8]],
      'AAAA fast.example.com': [],
    };
    const resolve = await resolver((question) => answersOf[question] ?? 'silence');
    const end = new AbortController();
    const hanging = Array.from({ length: 50 }, (_, index) => resolve(`slow${index}.example.com`, end.signal));

    const result = await resolve('fast.example.com', never);
    const ended = await Promise.all(hanging.map(hasEnded));
    end.abort();
    await Promise.all(hanging);

    expect(result).toEqual({ ok: true, addresses: ['8.8.8.8'] });
    expect(ended).toEqual(hanging.map(() => false));
  });

  it.each<[string, string, readonly string[]]>([
    ['localhost', 'https://localhost:5173', loopbackAddresses],
    ['receiver.localhost', 'https://receiver.localhost:9443', loopbackAddresses],
    ['myapp.test', 'https://myapp.test', ['10.0.0.7', 'fd00::7']],
    ['devbox', 'https://devbox:3000', ['192.168.0.9']],
  ])(
    'looks up %s, the name of a trusted origin, as the system does, without a query',
    async (name, origin, addresses) => {
      const resolve = await resolver(() => 'nxdomain', [origin]);

      expect(await resolve(name, never)).toEqual({ ok: true, addresses });
      expect(server?.questions).toEqual([]);
    },
  );

  it('asks the name servers alone for every other name, also of the hosts file and next to a trusted one', async () => {
    const resolve = await resolver(() => 'nxdomain', ['https://myapp.test', 'https://receiver.localhost']);

    for (const name of ['devbox', 'localhost', 'other.localhost', 'a.receiver.localhost', 'www.myapp.test'])
      expect([name, await resolve(name, never)]).toEqual([name, { ok: false, code: 'ENOTFOUND' }]);
  });

  it('says that the system does not know the name of a trusted origin', async () => {
    const resolve = await resolver(() => [[8, 8, 8, 8]], ['https://unknown.test']);

    expect(await resolve('unknown.test', never)).toEqual({ ok: false, code: 'ENOTFOUND' });
  });

  it('ends when the signal aborts before the system answers', async () => {
    const resolve = createResolveHost({
      trustedOrigins: new Set(['https://slow.test']),
      systemLookup: () => new Promise(() => {}),
    });
    const end = new AbortController();

    const lookup = resolve('slow.test', end.signal);
    end.abort();

    expect(await lookup).toEqual({ ok: false, code: 'ETIMEOUT' });
    expect(await resolve('slow.test', end.signal)).toEqual({ ok: false, code: 'ETIMEOUT' });
  });
});

/** What the hosts file of the machine says. */
const hosts: Readonly<Record<string, readonly string[]>> = {
  'myapp.test': ['10.0.0.7', 'fd00::7'],
  'www.myapp.test': ['10.0.0.8'],
  devbox: ['192.168.0.9'],
  // On macOS, in some containers, this is all that it says.
  localhost: ['127.0.0.1'],
};

async function systemLookup(hostname: string): Promise<readonly string[]> {
  const addresses = hosts[hostname];
  if (addresses === undefined) throw Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
  return addresses;
}

async function resolver(answer: (question: string) => NameServerAnswer, trusted: readonly string[] = []) {
  server = await startNameServer(answer);
  const options = { trustedOrigins: new Set(trusted), servers: [server.address], systemLookup };
  return createResolveHost(options);
}
