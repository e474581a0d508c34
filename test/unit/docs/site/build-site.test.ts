import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { problemCodeNames } from '#shared/contract/problem-codes.ts';
import { operationNames } from '#shared/contract/routes.ts';
import openApi from '../../../../docs/openapi.json' with { type: 'json' };
import { buildSite } from '../../../../site/build-site.ts';
import { problemText } from '../../../../site/openapi/problems.ts';
import { listedPages } from '../../../../site/page-list.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const site = await buildSite(root);
const pages = [...site].filter(([name]) => name.endsWith('.html'));
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);
const idsOf = (html: string) => all(html, / id="([^"]*)"/g);

/** Every address on a page: links, styles, scripts and images. */
const targetsOf = (html: string) => all(html, / (?:href|src)="([^"]*)"/g);
const isExternal = (target: string) => /^(https?|mailto):/.test(target);

/** The file and the anchor that a link on a page leads to. */
function destination(page: string, target: string) {
  const [path = '', anchor] = target.split('#');
  const from = page.replace(/\.html$/, '');
  const name = path === '' ? from : posix.join(posix.dirname(from), path);
  return { file: site.get(`${name}.html`) ?? site.get(name), anchor };
}

describe('the documentation site', () => {
  it('has a page for each entry of the navigation, each problem code and what does not exist, and no other', () => {
    const expected = [
      ...listedPages.map(({ path }) => `${path}.html`),
      ...problemCodeNames.map((code) => `docs/errors/${code}.html`),
      '404.html',
    ];

    expect(pages.map(([name]) => name).toSorted()).toEqual(expected.toSorted());
  });

  it('has every Markdown file of docs/pages in its navigation', () => {
    const listed = listedPages.flatMap(({ source }) => source ?? []);

    expect(listed).toEqual(expect.arrayContaining(globSync('docs/pages/*.md', { cwd: root })));
  });

  it.each(pages)(
    '%s has a language, a title, one heading of the first level, a main part and a way to it',
    (_name, html) => {
      expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
      expect(all(html, /<title>([^<]+)<\/title>/g)).toHaveLength(1);
      expect(all(html, /<h1>(.+)<\/h1>/g)).toHaveLength(1);
      expect(all(html, /<meta name="description" content="([^"]+)">/g)).toHaveLength(1);
      expect(html).toContain('<main id="site-content"');
      expect(html).toContain('<a class="skip" href="#site-content">');
      expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    },
  );

  it.each(pages)('%s has no script, style or handler in its text, and loads only files of the site', (_name, html) => {
    const loaded = all(html, /<(?:link|script|img)[^>]*(?:href|src)="([^"]*)"/g);

    expect(all(html, /(<script(?![^>]* src="))/g)).toEqual([]);
    expect(all(html, /(<style|<iframe|<object|<base|<form)/g)).toEqual([]);
    expect(all(html, /<[^>]* (style|on\w+)="/g)).toEqual([]);
    expect(loaded.length).toBeGreaterThan(2);
    expect(loaded.filter((target) => isExternal(target) || target.startsWith('/'))).toEqual([]);
  });

  it.each(pages)(
    '%s names each anchor once, and every link leads to a file and an anchor of the site',
    (name, html) => {
      const ids = idsOf(html);
      const dead = targetsOf(html)
        .filter((target) => !isExternal(target))
        .filter((target) => {
          // The console is not of the site. The same function serves it.
          if (target === 'console') return false;
          const { file, anchor } = destination(name, target);
          return target === '' || file === undefined || (anchor !== undefined && !idsOf(file).includes(anchor));
        });

      expect(ids).toEqual([...new Set(ids)]);
      expect(dead).toEqual([]);
    },
  );

  it.each(problemCodeNames)(
    'the page of %s says what happened, whether to retry and how to fix it, with an example',
    (code) => {
      const html = site.get(`docs/errors/${code}.html`) ?? '';
      const text = html
        .replaceAll(/<[^>]+>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#x27;', "'")
        .replaceAll('&amp;', '&');
      const { status, title, meaning, retry, fix, example } = problemText(code, 'https://api.example.com/docs');

      expect(html).toContain(`<h1>${title}</h1>`);
      expect(html).toContain(`<code>${code}</code> <span class="status">HTTP ${status}</span>`);
      for (const part of [meaning, retry, fix]) expect(text).toContain(part.replaceAll('`', ''));
      expect(text).toContain(JSON.stringify(example, null, 2));
      expect(site.get('docs/errors.html')).toContain(`<a id="${code}" href="errors/${code}">`);
    },
  );

  it('says of a version what customers notice, and leaves out the rest of its changelog', () => {
    const [newer = ''] = site.get('docs/changelog.md')?.split('## 0.2.0') ?? [];

    const parts = [...newer.matchAll(/^### (.+)$/gm)].map(([, part]) => part);
    expect(new Set(parts)).toEqual(new Set(['API and deliveries']));
    expect(newer).toContain('`Idempotency-Key`');
    expect(site.get('docs/changelog.html')).not.toContain('alarmEmail');
  });

  it.each(['docs/changelog.html', 'docs/changelog.md'])('%s refers to no page that is not there', (name) => {
    expect(all(site.get(name) ?? '', /(.*\(how[,)].*)/g)).toEqual([]);
    expect(site.get(name)).toMatch(/\((\[how\]|<a [^>]*>how<)/);
  });

  it('has the Markdown of every page, whose links lead to other Markdown of the site', () => {
    const texts = [...site].filter(([name]) => name.endsWith('.md'));
    const dead = texts.flatMap(([name, text]) =>
      all(text.replaceAll(/^```[\s\S]*?^```$/gm, ''), /\]\(([^)#\s]+)/g)
        .filter((target) => !isExternal(target))
        .filter((target) => !site.has(posix.join(posix.dirname(name), target)))
        .map((target) => `${name}: ${target}`),
    );

    expect(texts.map(([name]) => name.replace(/md$/, 'html')).toSorted()).toEqual(
      pages
        .map(([name]) => name)
        .filter((name) => name !== '404.html')
        .toSorted(),
    );
    expect(texts.filter(([, text]) => !/^# .+\n\n/.test(text) || text.includes('<!--'))).toEqual([]);
    expect(dead).toEqual([]);
    expect(site.get('docs/reference.md')).toContain('- `POST /v1/webhooks`: ');
    expect(site.get('docs/errors.md')).toContain('](errors/not_found.md): 404, ');
  });

  it('lists the Markdown of every page of the navigation in llms.txt, with its description', () => {
    const lines = (site.get('llms.txt') ?? '').split('\n').filter((line) => line.startsWith('- '));

    expect(lines.map((line) => /^- \[.+\]\((.+)\.md\): .{10}/.exec(line)?.[1])).toEqual(
      listedPages.map(({ path }) => path),
    );
  });

  it('has the words of customers in its glossary, and not those of operators', () => {
    const glossary = site.get('docs/glossary.html') ?? '';

    expect(glossary).toContain('<strong>Notice</strong>');
    expect(glossary).not.toMatch(/operators and maintainers|<h2 id="(queues|deployment)"/);
    expect(site.get('docs/glossary.md')).not.toContain('## Queues');
  });

  it('names each asset after its content, so that a browser may keep it for ever', () => {
    const assets = [...site].filter(([name]) => name.startsWith('docs/assets/'));

    expect(assets.map(([name]) => name.replace(/-\w+\./, '.')).toSorted()).toEqual([
      'docs/assets/favicon.svg',
      'docs/assets/search.js',
      'docs/assets/site.css',
      'docs/assets/site.js',
    ]);
    for (const [name, content] of assets) {
      expect(name).toContain(createHash('sha256').update(content).digest('hex').slice(0, 12));
    }
  });

  it('has every page, problem code and operation in its search, whose script has at most 100 kB after gzip', () => {
    const [, script = ''] = [...site].find(([name]) => name.startsWith('docs/assets/search-')) ?? [];
    const expected = [
      ...pages.map(([name]) => name.replace(/\.html$/, '')).filter((path) => path !== '404'),
      ...operationNames.map((name) => `docs/reference#${name}`),
    ];

    expect(expected.filter((address) => !script.includes(`address:"${address}"`))).toEqual([]);
    expect(gzipSync(script).length).toBeLessThan(100_000);
  });

  it.each(pages)('%s has at most 60 kB with all that it loads, after gzip', (_name, html) => {
    const loaded = all(html, /<(?:link rel="(?:icon|stylesheet)"|script)[^>]* (?:href|src)="([^"]*)"/g);
    const assets = loaded.map((target) => site.get(`docs/assets/${posix.basename(target)}`) ?? '');

    const sizes = [html, ...assets].map((text) => gzipSync(text).length);
    expect(assets.filter((text) => text !== '').length).toBeGreaterThan(2);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000);
  });
});

describe('the API reference', () => {
  const html = site.get('docs/reference.html') ?? '';
  const ids = idsOf(html);

  it.each(operationNames)('describes %s, with a request', (name) => {
    expect(ids).toContain(name);
  });

  it('describes every event', () => {
    expect(ids).toEqual(expect.arrayContaining(Object.keys(openApi.webhooks)));
  });

  it('describes each named schema once', () => {
    const described = ids.filter((id) => id.startsWith('schema-')).map((id) => id.replace('schema-', ''));

    expect(described.toSorted()).toEqual(Object.keys(openApi.components.schemas).toSorted());
  });

  it('shows the failures of an operation as links to their pages, not as text', () => {
    expect(html).not.toContain('Failures of this operation');
    expect(all(html, /<summary>(Errors \(\d+\))<\/summary>/g)).toHaveLength(operationNames.length);
    expect(html).toContain('<a href="errors/webhook_limit_exceeded"><code>webhook_limit_exceeded</code></a>');
  });

  it('is made from the published document', () => {
    expect(z.json().parse(JSON.parse(site.get('openapi.json') ?? ''))).toEqual(openApi);
  });
});
