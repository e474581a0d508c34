import { describe, expect, it } from 'vitest';
import { parseEndpointUrl } from '#shared/domain/endpoint-url.ts';
import { isPublicAddress } from '#shared/domain/public-address.ts';
import { makeSigningSecret, secretPrefix } from '#shared/domain/signing-secret.ts';
import { readPage } from '../../support/docs/page-examples.ts';

const { text: page } = await readPage('security.md');

describe('docs/pages/security.md', () => {
  it('names address ranges that are refused from their first to their last address', () => {
    const ranges = [...page.matchAll(/`([\d.]+)\/(\d+)`/g)].map(([, first = '', length]) => {
      const start = first.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
      return [start, start + 2 ** (32 - Number(length)) - 1];
    });
    const text = (address: number) => [24, 16, 8, 0].map((bits) => (address / 2 ** bits) & 0xff).join('.');

    expect(ranges.length).toBeGreaterThan(4);
    expect(ranges.flat().map(text).filter(isPublicAddress)).toEqual([]);
  });

  it('names hosts and ports that are refused', () => {
    const names = [...page.matchAll(/`\.([a-z.]+)`/g)].map(([, name]) => name);
    const urls = [...names.map((name) => `https://receiver.${name}`), 'https://localhost', 'https://receiver'];
    const ports = /such as (\d+) or (\d+)/.exec(page)?.slice(1) ?? [];

    expect(names.length).toBeGreaterThan(3);
    expect(ports).toHaveLength(2);
    const refused = [...urls, ...ports.map((port) => `https://receiver.example.com:${port}`)];
    expect(refused.filter((url) => parseEndpointUrl(url).ok)).toEqual([]);
  });

  it('names the length of the shown prefix of a secret', () => {
    const { length } = secretPrefix(makeSigningSecret(new Uint8Array(32)));

    expect(page).toContain(`is the first ${length} characters of the secret`);
  });
});
