import { describe, expect, inject, it } from 'vitest';
import { problemType } from '#shared/contract/problem.ts';
import { problemCodeNames } from '#shared/contract/problem-codes.ts';

const { api_url: apiUrl, docs_url: docsUrl } = inject('stack').info;

type Fetched = { readonly status: number; readonly type: string | null; readonly text: string };

/** Follows every link of the site from its address. */
async function readSite(): Promise<ReadonlyMap<string, Fetched>> {
  const found = new Map<string, Fetched>();
  const open = [docsUrl];
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    if (found.has(url)) continue;
    const response = await fetch(url);
    const type = response.headers.get('content-type');
    const page = { status: response.status, type, text: await response.text() };
    found.set(url, page);
    if (type?.startsWith('text/html') !== true) continue;
    const links = page.text.matchAll(/ (?:href|src)="([^"#]+)[^"]*"/g);
    const targets = [...links].map(([, target = '']) => new URL(target, response.url));
    open.push(...targets.filter(({ origin }) => origin === apiUrl).map(({ href }) => href));
  }
  return found;
}

describe('the documentation of a running stack', () => {
  it('answers every link of the site with 200, among them the type of every problem with its page', async () => {
    const site = await readSite();

    const failed = [...site].filter(([, { status }]) => status !== 200).map(([url]) => url);
    expect(failed).toEqual([]);
    expect(problemCodeNames.map((code) => site.get(problemType(code, docsUrl)))).toEqual(
      problemCodeNames.map((code) => ({
        status: 200,
        type: 'text/html; charset=utf-8',
        text: expect.stringContaining(`<code>${code}</code>`),
      })),
    );
  });

  it.each(['/', '/docs', '/docs/reference', '/openapi.json', '/docs/missing'])(
    'answers HEAD %s as GET, without the body',
    async (path) => {
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
    },
  );
});
