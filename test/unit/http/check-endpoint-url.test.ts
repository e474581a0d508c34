import { afterEach, describe, expect, it, vi } from 'vitest';
import { createUrlCheck } from '#shared/http/check-endpoint-url.ts';
import type { ResolveHost } from '#shared/http/resolve-host.ts';
import { hasEnded, passTime, stopDeadlines } from '../../support/http/attempt-clock.ts';
import { resolvesTo } from '../../support/http/post-world.ts';

const none: ReadonlySet<string> = new Set();

afterEach(() => {
  vi.useRealTimers();
});

describe('createUrlCheck()', () => {
  it.each(['https://127.0.0.1:1', 'http://example.com'])('refuses %s without a DNS lookup', async (text) => {
    const resolve = vi.fn(resolvesTo('8.8.8.8'));

    const result = await createUrlCheck({ resolve, trustedOrigins: none })(text);

    expect(result).toEqual({ ok: false, detail: expect.stringMatching(/^The .{10,100}[^.]$/) });
    expect(resolve).not.toHaveBeenCalled();
  });

  it.each([
    ['HTTPS://Example.com.:443/a/../hook', ['8.8.8.8', '2001:4860:4860::8888'], 'https://example.com/hook'],
    ['https://0x08080808/', ['127.0.0.1'], 'https://8.8.8.8/'],
  ])('gives the normal form of %s, whose host is public', async (text, addresses, url) => {
    const check = createUrlCheck({ resolve: resolvesTo(...addresses), trustedOrigins: none });

    expect(await check(text)).toEqual({ ok: true, url });
  });

  it('lets a host pass that does not resolve', async () => {
    const resolve: ResolveHost = async () => ({ ok: false, code: 'ENOTFOUND' });

    expect(await createUrlCheck({ resolve, trustedOrigins: none })('https://example.com')).toMatchObject({
      ok: true,
    });
  });

  it('leaves no timer behind', async () => {
    stopDeadlines();

    await createUrlCheck({ resolve: resolvesTo('8.8.8.8'), trustedOrigins: none })('https://example.com');

    expect(vi.getTimerCount()).toBe(0);
  });

  it('lets a host pass whose lookup takes five seconds', async () => {
    const resolve: ResolveHost = () => new Promise(() => {});
    stopDeadlines();

    const check = createUrlCheck({ resolve, trustedOrigins: none })('https://example.com');
    passTime(4_999);
    const endedBefore = await hasEnded(check);
    passTime(1);

    expect(endedBefore).toBe(false);
    expect(await check).toMatchObject({ ok: true });
  });

  it('lets a trusted origin pass, and no other origin', async () => {
    const trustedOrigins = new Set(['https://receiver.localhost:9443']);
    const check = createUrlCheck({ resolve: resolvesTo('127.0.0.1'), trustedOrigins });

    expect(await check('https://receiver.localhost:9443/a')).toMatchObject({ ok: true });
    expect(await check('https://receiver.localhost:9444/a')).toMatchObject({ ok: false });
    expect(await check('https://receiver.example.com:9443/a')).toMatchObject({ ok: false });
  });
});
