import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEndpointUrl } from '#shared/domain/endpoint-url.ts';
import { anyCharacter } from '../../support/values/any-character.ts';
import vectors from '../../vectors/endpoint-urls.json' with { type: 'json' };

const details: Record<string, RegExp> = {
  scheme: /https/,
  unparsable: /parsed/,
  userinfo: /user name/,
  fragment: /fragment/,
  length: /2048/,
  port: /port/,
  name: /DNS name/,
  'local name': /local or special-use.*use a tunnel/,
  address: /public address.*use a tunnel/,
};

const plainCharacter = fc.constantFrom(..."abcxyzABCXYZ0189-._~!$&'()*+,;=:@");
const segment = fc.string({ unit: fc.oneof(plainCharacter, anyCharacter.map(encodeURIComponent)) });
/** As `fc.webUrl()` makes them, which computes for over a second before the first one. */
const anyUrl = fc
  .tuple(fc.domain(), fc.array(segment))
  .map(([domain, segments]) => [`https://${domain}`, ...segments].join('/'));

describe('parseEndpointUrl()', () => {
  it.each(vectors.accepted)('accepts $text', ({ text, href }) => {
    const path = href.replace(/^https:\/\/[^/]+/, '');

    expect(parseEndpointUrl(text)).toMatchObject({ ok: true, url: { href, path } });
  });

  it.each(vectors.rejected)('refuses $text ($rule)', ({ rule, text }) => {
    const parsed = parseEndpointUrl(text);

    expect(parsed).toEqual({ ok: false, detail: expect.stringMatching(details[rule] ?? /$^/) });
    expect(parsed).toMatchObject({ detail: expect.stringMatching(/^The (URL|host) .*[^.]$/) });
  });

  it('returns the parts that a request needs', () => {
    const parsed = parseEndpointUrl('https://[2606:4700:4700::1111]:8443/hook/a?x=1');

    expect(parsed).toEqual({
      ok: true,
      url: {
        href: 'https://[2606:4700:4700::1111]:8443/hook/a?x=1',
        origin: 'https://[2606:4700:4700::1111]:8443',
        hostname: '2606:4700:4700::1111',
        isAddress: true,
        port: 8443,
        host: '[2606:4700:4700::1111]:8443',
        path: '/hook/a?x=1',
      },
    });
  });

  it('does not change a URL in normal form', () => {
    fc.assert(
      fc.property(anyUrl, (text) => {
        const first = parseEndpointUrl(text);
        const again = first.ok ? parseEndpointUrl(first.url.href) : first;
        expect(again).toEqual(first);
      }),
    );
  });
});

describe('parseEndpointUrl() with trusted origins', () => {
  const trustedOrigins = new Set(['https://receiver.localhost:9443', 'https://127.0.0.1:9443']);

  it.each(['https://receiver.localhost:9443/a', 'https://receiver.localhost.:9443/a', 'https://127.1:9443/'])(
    'accepts %s',
    (text) => {
      expect(parseEndpointUrl(text, { trustedOrigins })).toMatchObject({ ok: true });
    },
  );

  it.each([
    'https://receiver.localhost/',
    'https://receiver.localhost:9444/',
    'https://other.localhost:9443/',
    'https://127.0.0.2:9443/',
    'http://receiver.localhost:9443/',
    'https://user@receiver.localhost:9443/',
    'https://receiver.localhost:9443/#',
  ])('refuses %s', (text) => {
    expect(parseEndpointUrl(text, { trustedOrigins })).toMatchObject({ ok: false });
  });
});
