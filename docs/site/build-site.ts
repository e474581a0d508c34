import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorIndex, errorPages } from './error-pages.ts';
import { headingHtml } from './html.ts';
import { type Assets, type Draft, pageHtml } from './layout.ts';
import { type Heading, type RenderedMarkdown, renderMarkdown } from './markdown.ts';
import { errorsPath, type ListedPage, listedPages, pageGroups } from './page-list.ts';
import { referencePage } from './reference/reference-page.ts';

/** Content of every file of the site, by its name below the site: pages end in `.html`. */
export type Site = ReadonlyMap<string, string>;

const assetFolder = new URL('assets/', import.meta.url);

/**
 * Builds the documentation site.
 *
 * @param root folder of the repository
 * @throws Error when a page cannot be rendered
 */
export async function buildSite(root: string): Promise<Site> {
  const openApi = await readFile(join(root, 'docs/openapi.json'), 'utf8');
  const [style, script, icon] = await Promise.all(['site.css', 'site.js', 'favicon.svg'].map(readAsset));
  if (style === undefined || script === undefined || icon === undefined)
    throw new Error('An asset is missing');
  const assets: Assets = { style: style.name, script: script.name, icon: icon.name };
  const known = new Set(listedPages.filter((page) => isMade(root, page)).map(({ path }) => path));
  const drafts = [
    ...(await markdownDrafts(root, known)),
    referencePage(JSON.parse(openApi)),
    ...errorPages(known),
  ];
  const groups = pageGroups.map(({ title, pages }) => ({
    title,
    pages: pages.filter(({ path }) => known.has(path)),
  }));
  return new Map([
    ...drafts.map((draft) => [`${draft.path}.html`, pageHtml(draft, { groups, assets })] as const),
    ...[style, script, icon].map(({ name, content }) => [name, content] as const),
    ['openapi.json', openApi],
  ]);
}

/** The name contains a digest of the content, so that browsers may keep the file for ever. */
async function readAsset(file: string): Promise<{ readonly name: string; readonly content: string }> {
  const content = await readFile(new URL(file, assetFolder), 'utf8');
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return { name: `docs/assets/${file.replace(/(\.\w+)$/, `-${digest}$1`)}`, content };
}

/** Whether the page is made from data, or its file exists. */
function isMade(root: string, { source }: ListedPage): boolean {
  return source === undefined || existsSync(join(root, source));
}

async function markdownDrafts(root: string, known: ReadonlySet<string>): Promise<readonly Draft[]> {
  const pages = listedPages.flatMap(({ path, source }) =>
    source === undefined || !known.has(path) ? [] : [{ path, source, known }],
  );
  return await Promise.all(
    pages.map(async (place) => {
      return draftOf(place.path, renderMarkdown(await readFile(join(root, place.source), 'utf8'), place));
    }),
  );
}

function draftOf(path: string, { headings, html, ...rendered }: RenderedMarkdown): Draft {
  const codes = path === errorsPath ? allCodes : { html: '', headings: [] };
  return { path, ...rendered, html: html + codes.html, headings: [...headings, ...codes.headings] };
}

const allCodes = codeSections();

function codeSections(): { readonly html: string; readonly headings: readonly Heading[] } {
  const sections = [
    ['codes', 'Codes of the API', errorIndex('api')],
    ['codes-inside-a-run', 'Codes inside a Run', errorIndex('engine')],
  ] as const;
  return {
    html: sections.map(([id, title, html]) => `${headingHtml(3, id, title, title)}${html}`).join('\n'),
    headings: sections.map(([id, text]) => ({ level: 3, id, text })),
  };
}
