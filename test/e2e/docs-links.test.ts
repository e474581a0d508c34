import { beforeAll, describe, expect, inject, it } from 'vitest';
import { problemType } from '#shared/contract/problem.ts';
import { problemCodeNames } from '#shared/contract/problem-codes.ts';

const { api_url: apiUrl, docs_url: docsUrl } = inject('stack').info;

type Fetched = {
  readonly status: number;
  readonly url: string;
  readonly headers: Headers;
  readonly text: string;
};

async function get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Fetched> {
  const response = await fetch(url, { headers: { ...headers } });
  const { status, url: reached } = response;
  return { status, url: reached, headers: response.headers, text: await response.text() };
}

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

/** Follows every link of the site from its address. */
async function readSite(): Promise<ReadonlyMap<string, Fetched>> {
  const found = new Map<string, Fetched>();
  const open = [docsUrl];
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    if (found.has(url)) continue;
    const page = await get(url);
    found.set(url, page);
    if (page.headers.get('content-type')?.startsWith('text/html') !== true) continue;
    const targets = all(page.text, / (?:href|src)="([^"#]+)[^"]*"/g).map(
      (target) => new URL(target, page.url),
    );
    open.push(...targets.filter(({ origin }) => origin === apiUrl).map(({ href }) => href));
  }
  return found;
}

describe('the documentation of a running stack', () => {
  let site: ReadonlyMap<string, Fetched>;

  beforeAll(async () => {
    site = await readSite();
  });

  it('answers every link of the site with 200', () => {
    const failed = [...site]
      .filter(([, { status }]) => status !== 200)
      .map(([url, { status }]) => `${status} ${url}`);

    expect(failed).toEqual([]);
    expect(site.size).toBeGreaterThan(problemCodeNames.length + 10);
  });

  it('has the anchor of every link of the site', () => {
    const dead = [...site.values()].flatMap(({ url, text }) =>
      all(text, / href="([^"]*#[^"]+)"/g).filter((target) => {
        const { href, hash, origin } = new URL(target, url);
        const page =
          site.get(href.slice(0, -hash.length)) ?? (href.startsWith(`${url}#`) ? { text } : undefined);
        return (
          origin === apiUrl && page?.text.includes(` id="${decodeURIComponent(hash.slice(1))}"`) !== true
        );
      }),
    );

    expect(dead).toEqual([]);
  });

  it.each(problemCodeNames)('the type of %s is an address of its page', async (code) => {
    const { status, headers, text } =
      site.get(problemType(code, docsUrl)) ?? (await get(problemType(code, docsUrl)));

    expect({ status, type: headers.get('content-type') }).toEqual({
      status: 200,
      type: 'text/html; charset=utf-8',
    });
    expect(text).toContain(`<code>${code}</code>`);
  });

  it('serves pages for minutes, assets for ever, and neither twice to a client that has them', async () => {
    const [asset = ''] = [...site.keys()].filter((url) => url.endsWith('.css'));
    const [page, style] = await Promise.all([get(`${docsUrl}/index`), get(asset)]);

    expect(page.headers.get('cache-control')).toBe('public, max-age=300');
    expect(style.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    for (const { url, headers } of [page, style]) {
      expect(await get(url, { 'If-None-Match': headers.get('etag') ?? '' })).toMatchObject({
        status: 304,
        text: '',
      });
    }
  });

  it('sends the largest page with a fifth of its bytes to a client that accepts gzip', async () => {
    const { headers } = await fetch(`${docsUrl}/reference`, { headers: { 'Accept-Encoding': 'gzip' } });
    const plain = await fetch(`${docsUrl}/reference`, { headers: { 'Accept-Encoding': 'identity' } });

    expect(headers.get('content-encoding')).toBe('gzip');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(Number(headers.get('content-length')) * 5).toBeLessThan(
      Number(plain.headers.get('content-length')),
    );
  });

  it('lets a page load only files of its own origin', () => {
    for (const { headers } of site.values()) {
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; /);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  it.each([
    '/docs',
    '/docs/reference',
    '/docs/errors/not_found',
    '/openapi.json',
    '/console',
    '/docs/missing',
  ])('answers HEAD %s as GET, without the body', async (path) => {
    const ask = (method: string) =>
      fetch(apiUrl + path, { method, redirect: 'manual', headers: { 'Accept-Encoding': 'identity' } });
    const [head, got] = await Promise.all([ask('HEAD'), ask('GET')]);
    const [empty, body] = await Promise.all([head.text(), got.text()]);
    // The others are about the request or the connection, which fetch closes after HEAD.
    const lasting = ({ headers }: Response) =>
      [...headers].filter(([name]) => !/^(date|connection|keep-alive|x-amzn-.*)$/.test(name));

    expect([head.status, lasting(head)]).toEqual([got.status, lasting(got)]);
    expect(got.headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
    expect(empty).toBe('');
  });

  it.each(['/docs/missing', '/docs/errors/missing', '/docs/errors/not_found/more', '/openapi.yaml'])(
    '%s is a not_found problem',
    async (path) => {
      const { status, headers, text } = await get(`${apiUrl}${path}`);

      expect({ status, type: headers.get('content-type') }).toEqual({
        status: 404,
        type: 'application/problem+json',
      });
      expect(JSON.parse(text)).toMatchObject({ code: 'not_found' });
    },
  );

  it('the address with a slash at its end leads to the same page', async () => {
    const reached = await Promise.all([docsUrl, `${docsUrl}/`, `${docsUrl}/errors/`].map((url) => get(url)));

    expect(reached.map(({ url, status }) => [url, status])).toEqual([
      [`${docsUrl}/index`, 200],
      [`${docsUrl}/index`, 200],
      [`${docsUrl}/errors`, 200],
    ]);
  });
});
