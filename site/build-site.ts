import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codesMarkdown, llmsFile, llmsText, servedMarkdown } from './as-markdown.ts';
import { readAssets } from './assets.ts';
import type { Brand } from './brand.ts';
import { errorIndex, errorPages, problemTexts } from './error-pages.ts';
import { headingHtml } from './html.ts';
import { type Draft, pageHtml } from './layout.ts';
import { type Heading, type RenderedMarkdown, renderMarkdown } from './markdown.ts';
import { errorsPath, forCustomers, listedPages, withoutLostReferences } from './page-list.ts';
import { referencePage } from './reference/reference-page.ts';
import { searchScript } from './search/search-script.ts';
import { sectionsOf } from './search/sections.ts';

/** Content of every file of the site, by its name below the site: pages end in `.html`. */
export type Site = ReadonlyMap<string, string>;

/**
 * Builds the documentation site.
 *
 * @param root folder of the repository
 * @param brand what is shown in place of the look of this project
 * @throws Error when a page is missing or cannot be rendered
 */
export async function buildSite(root: string, brand: Brand = {}): Promise<Site> {
  const openApi = await readFile(join(root, 'docs/openapi.json'), 'utf8');
  const found = [...(await markdownPages(root)), referencePage(JSON.parse(openApi)), ...errorPages()];
  const assets = await readAssets(brand, await searchScript(found.flatMap(sectionsOf)));
  const drafts = [...found, missingPage];
  return new Map([
    ...drafts.map((draft) => [`${draft.path}.html`, pageHtml(draft, assets, brand)] as const),
    ...Object.values(assets).map(({ name, content }) => [name, content] as const),
    ...drafts.flatMap(({ path, markdown }) => (markdown === undefined ? [] : [[`${path}.md`, markdown] as const])),
    [llmsFile, llmsText(drafts)],
    ['openapi.json', openApi],
  ]);
}

/** Shown to browsers that ask for an address without a page. */
const missingPage: Draft = {
  path: '404',
  title: 'This page does not exist',
  description: 'No page has this address.',
  lead: 'No page has this address. It may have moved, or the link may be incomplete.',
  html:
    '<ul>\n<li><a href="docs/index">Documentation</a></li>\n' +
    '<li><a href="docs/reference">API reference</a></li>\n' +
    '<li><a href="console">Console</a></li>\n</ul>\n',
  headings: [],
};

async function markdownPages(root: string): Promise<readonly Draft[]> {
  const pages = listedPages.filter(({ source }) => source.endsWith('.md'));
  return await Promise.all(
    pages.map(async (page) => {
      const text = withoutLostReferences(forCustomers(await readFile(join(root, page.source), 'utf8'), page), page);
      return draftOf(page.path, renderMarkdown(text, page), servedMarkdown(text, page));
    }),
  );
}

/** The page about errors ends with the list of all codes. */
function draftOf(path: string, rendered: RenderedMarkdown, markdown: string): Draft {
  if (path !== errorsPath) return { path, ...rendered, markdown };
  const codes = codeSections();
  return {
    path,
    ...rendered,
    html: rendered.html + codes.html,
    headings: [...rendered.headings, ...codes.headings],
    markdown: markdown + codesMarkdown(problemTexts),
  };
}

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
