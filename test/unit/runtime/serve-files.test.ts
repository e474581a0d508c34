import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveFiles } from '#shared/runtime/serve-files.ts';
import { buildApiEvent } from '../../support/aws/lambda-events.ts';

const files = {
  'site/docs/index.html': '<h1>Index</h1>',
  'site/docs/guide.html': '<h1>Gerät</h1>',
  'site/docs/errors.html': '<h1>Errors</h1>',
  'site/docs/errors/not_found.html': '<h1>Not found</h1>',
  'site/docs/assets/site-0a1b.css': 'p{}',
  'site/docs/guide.md': '# Guide',
  'site/docs/notes.bin': 'of no known type',
  'site/llms.txt': '# List',
  'site/404.html': '<a href="docs/index"><img src="docs/a.svg"> <a href="#top">',
  'site/openapi.json': '{}',
  'site/console.html': '<div></div>',
  'site/console/assets/console-0a1b.js': 'run()',
  'outside.html': 'beside the folder',
};

let folder: string;
let serve: ReturnType<typeof serveFiles>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'files-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  serve = serveFiles(pathToFileURL(`${join(folder, 'site')}/`), {
    docsUrl: 'https://docs.example.com',
    consoleFrameAncestors: 'https://portal.example.com https://app.example.com',
  });
});

afterAll(() => rm(folder, { recursive: true }));

type Given = { readonly headers?: Record<string, string>; readonly prefix?: string };

/** Asks as API Gateway does: below a folder with a greedy parameter, and elsewhere by a route of its own. */
function get(path: string, { headers = {}, prefix = '' }: Given = {}) {
  const [, folder, file] = /^\/(docs|console)\/(.+?)\/?$/.exec(path) ?? [];
  const event = buildApiEvent({
    resource: file === undefined ? path.replace(/(.)\/$/, '$1') : `/${folder}/{file+}`,
    path,
    pathParameters: file === undefined ? null : { file },
    headers,
  });
  return serve({ ...event, requestContext: { ...event.requestContext, path: `${prefix}${path}` } });
}

describe('serveFiles()', () => {
  it('a page has no ending in its address, and headers that let it load only files of its origin', async () => {
    expect(await get('/docs/guide')).toEqual({
      statusCode: 200,
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Cache-Control': 'public, max-age=300',
        ETag: expect.stringMatching(/^"[\w-]{27}"$/),
        Vary: 'Accept-Encoding',
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
        'Strict-Transport-Security': 'max-age=31536000',
        'Content-Security-Policy':
          "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; base-uri 'none'; " +
          "form-action 'none'; frame-ancestors 'none'",
      },
      body: '<h1>Gerät</h1>',
    });
  });

  it('only the console may also call the API of its origin, and be shown by the configured origins', async () => {
    const policyOf = async (answer: ReturnType<typeof get>) =>
      String((await answer).headers?.['Content-Security-Policy']);
    const unset = serveFiles(pathToFileURL(`${join(folder, 'site')}/`), {
      docsUrl: 'https://docs.example.com',
      consoleFrameAncestors: '',
    });

    expect(await policyOf(get('/console'))).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; base-uri 'none'; " +
        "form-action 'none'; connect-src 'self'; " +
        'frame-ancestors https://portal.example.com https://app.example.com',
    );
    expect(await policyOf(unset(buildApiEvent({ resource: '/console', path: '/console' })))).toMatch(
      / connect-src 'self'; frame-ancestors 'none'$/,
    );
    for (const path of ['/docs/guide', '/openapi.json', '/console/assets/console-0a1b.js']) {
      expect(await policyOf(get(path))).toMatch(/form-action 'none'; frame-ancestors 'none'$/);
    }
  });

  const forMinutes = 'public, max-age=300';
  const forever = 'public, max-age=31536000, immutable';

  it.each([
    ['/openapi.json', 'application/json', forMinutes],
    ['/llms.txt', 'text/plain; charset=utf-8', forMinutes],
    ['/docs/guide.md', 'text/markdown; charset=utf-8', forMinutes],
    ['/docs/errors', 'text/html; charset=utf-8', forMinutes],
    ['/docs/errors/not_found', 'text/html; charset=utf-8', forMinutes],
    ['/console', 'text/html; charset=utf-8', forMinutes],
    ['/console/assets/console-0a1b.js', 'text/javascript; charset=utf-8', forever],
    ['/docs/assets/site-0a1b.css', 'text/css; charset=utf-8', forever],
  ])('%s is served as %s with %s', async (path, type, caching) => {
    expect(await get(path)).toMatchObject({
      statusCode: 200,
      headers: { 'Content-Type': type, 'Cache-Control': caching },
    });
  });

  it('a caller that has the file gets 304 without a body', async () => {
    const { headers } = await get('/docs/guide');
    const etag = String(headers?.ETag);

    const exact = await get('/docs/guide', { headers: { 'If-None-Match': etag } });
    const others = await Promise.all([
      get('/docs/guide', { headers: { 'if-none-match': `W/${etag}` } }),
      get('/docs/guide', { headers: { 'If-None-Match': `"old", ${etag}` } }),
      get('/docs/guide', { headers: { 'If-None-Match': '"old"' } }),
    ]);

    expect([exact, ...others].map(({ statusCode }) => statusCode)).toEqual([304, 304, 304, 200]);
    expect(exact).toMatchObject({ headers: { ETag: etag, 'Cache-Control': forMinutes }, body: '' });
    expect(exact.headers).not.toHaveProperty('Content-Type');
  });

  it('a file is compressed for a caller that accepts gzip, and is another version then', async () => {
    const zipped = await get('/docs/guide', { headers: { 'Accept-Encoding': 'br;q=1.0, gzip;q=0.8' } });
    const plain = await get('/docs/guide', { headers: { 'accept-encoding': 'br, gzip;q=0' } });

    expect(zipped).toMatchObject({ statusCode: 200, isBase64Encoded: true });
    expect(zipped.headers).toMatchObject({ 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
    expect(gunzipSync(Buffer.from(zipped.body, 'base64')).toString()).toBe('<h1>Gerät</h1>');
    expect(plain).toMatchObject({ statusCode: 200, body: '<h1>Gerät</h1>' });
    expect(plain.headers).not.toHaveProperty('Content-Encoding');
    expect(zipped.headers?.ETag).not.toBe(plain.headers?.ETag);

    const again = { 'Accept-Encoding': 'gzip', 'If-None-Match': String(zipped.headers?.ETag) };
    expect(await get('/docs/guide', { headers: again })).toMatchObject({ statusCode: 304, body: '' });
  });

  it('a repeated header is one list, as API Gateway passes its values', async () => {
    const repeated = (name: string, values: string[]) =>
      serve(
        buildApiEvent({
          resource: '/docs/{file+}',
          path: '/docs/guide',
          pathParameters: { file: 'guide' },
          headers: { [name]: values.at(-1) },
          multiValueHeaders: { [name]: values },
        }),
      );
    const etag = String((await get('/docs/guide')).headers?.ETag);

    const zipped = await repeated('accept-encoding', ['gzip;q=0.5', 'br']);
    expect(zipped.headers).toMatchObject({ 'Content-Encoding': 'gzip' });
    expect(await repeated('IF-NONE-MATCH', ['"old"', etag, '"older"'])).toMatchObject({ statusCode: 304 });
  });

  it.each([
    ['/', '/docs/index'],
    ['/docs', '/docs/index'],
    ['/docs/', '/docs/index'],
    ['/docs/guide/', '/docs/guide'],
    ['/docs/errors/not_found/', '/docs/errors/not_found'],
    ['/console/', '/console'],
  ])('%s leads to %s, below the prefix of a stage too', async (path, target) => {
    for (const prefix of ['', '/prod']) {
      const { statusCode, headers } = await get(path, { prefix, headers: { Accept: 'text/html' } });

      const asked = `https://api.example.com${prefix}${path}`;
      expect(statusCode).toBe(302);
      expect(new URL(String(headers?.Location), asked).pathname).toBe(prefix + target);
    }
  });

  it('programs get the problem not_found at the root', async () => {
    const { statusCode, body } = await get('/', { headers: { Accept: '*/*' } });

    expect([statusCode, JSON.parse(body).code]).toEqual([404, 'not_found']);
  });

  it('the root of a stage leads to the documentation without a slash, too', async () => {
    const event = buildApiEvent({ resource: '/', path: '/', headers: { Accept: 'text/html' } });
    const { headers } = await serve({ ...event, requestContext: { ...event.requestContext, path: '/prod' } });

    expect(new URL(String(headers?.Location), 'https://api.example.com/prod').pathname).toBe('/prod/docs/index');
  });

  it.each([
    ['/docs/missing', '../'],
    ['/docs/missing/', '../../'],
    ['/docs/errors/a/b', '../../../'],
    ['/console/none', '../'],
  ])('a browser gets a page with the menu for %s, whose links lead to the root', async (path, up) => {
    const accept = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';
    const { statusCode, headers, body } = await get(path, { headers: { Accept: accept } });

    expect({ statusCode, headers }).toMatchObject({
      statusCode: 404,
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Cache-Control': 'no-store',
        Vary: 'Accept',
        'Content-Security-Policy': expect.stringContaining("default-src 'none'"),
      },
    });
    expect(body).toBe(`<a href="${up}docs/index"><img src="${up}docs/a.svg"> <a href="#top">`);
  });

  it.each([
    '/docs/missing',
    '/console/none',
    '/console/index',
    '/console/assets/none.js',
    '/console/../outside',
    '/docs/guide.html',
    '/docs/notes.bin',
    '/docs/../../outside',
    '/docs/../outside.html',
    '/docs/errors/toString',
    '/docs/__proto__',
    '/docs/%2e%2e/outside',
    '/docs/guide\u0000',
    '//example.com/docs',
  ])('%j is a not_found problem', async (path) => {
    const { statusCode, headers, body } = await get(path);

    expect({ statusCode, headers }).toMatchObject({
      statusCode: 404,
      headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store', Vary: 'Accept' },
    });
    expect(JSON.parse(body)).toMatchObject({
      code: 'not_found',
      type: 'https://docs.example.com/errors/not_found',
    });
  });
});

describe('what serveFiles() answers anybody', () => {
  const long = 'x'.repeat(8_000);
  const browser = { Accept: 'text/html' };
  const bytesOf = (answer: object) => Buffer.byteLength(JSON.stringify(answer));

  it.each<[string, string, Record<string, string>]>([
    ['a path of 4,000 folders', `/docs/${'a/'.repeat(4_000)}b`, browser],
    ['a path of 4,000 slashes', `/docs/${'/'.repeat(4_000)}`, browser],
    ['a path of nine folders', '/docs/a/b/c/d/e/f/g/h/i', browser],
    ['a long name', `/docs/${long}`, browser],
    ['a long name that is no text', `/docs/${'%ff'.repeat(2_000)}`, browser],
    ['a long name for a program', `/docs/${long}`, {}],
    ['a long name with a slash', `/docs/${long}/`, browser],
    ['a long name below a folder', `/docs/errors/${long}`, browser],
    ['many accepted types', '/docs/missing', { Accept: `text/html,${'a/b,'.repeat(2_000)}` }],
    ['many known versions', '/docs/missing', { 'If-None-Match': `"${long}"`, ...browser }],
    ['many known versions of a page', '/docs/guide', { 'If-None-Match': `"${long}"` }],
    ['many encodings of a page', '/docs/guide', { 'Accept-Encoding': 'br,'.repeat(2_000) }],
    ['another host', '/docs/', { Host: `${long}.example.com`, 'X-Forwarded-Host': long, ...browser }],
  ])('what serveFiles() answers anybody does not grow with %s', async (_, path, headers) => {
    const plain = await Promise.all([get('/docs/missing', { headers: browser }), get('/docs/guide')]);
    const most = Math.max(...plain.map(bytesOf));

    const answer = await get(path, { headers });

    expect(bytesOf(answer)).toBeLessThanOrEqual(most + 100);
    expect(JSON.stringify(answer)).not.toContain('xxxx');
  });
});
