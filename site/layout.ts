import { posix } from 'node:path';
import type { Assets } from './assets.ts';
import type { Brand } from './brand.ts';
import { escapeHtml } from './html.ts';
import type { Heading } from './markdown.ts';
import { errorsPath, type ListedPage, listedPages, pageGroups, relativeUrl } from './page-list.ts';

/** A page before it gets its frame. */
export type Draft = {
  /** Address below the site, without an ending. */
  readonly path: string;
  readonly title: string;
  /** One sentence for search engines. */
  readonly description: string;
  /** The first paragraph below the title, without its element. */
  readonly lead: string;
  /** What follows it. */
  readonly html: string;
  /** Headings below the title. */
  readonly headings: readonly Heading[];
  /** `wide`: the headings are listed in the navigation, and the content takes their place. */
  readonly width?: 'wide';
  /** The page in Markdown, at its address with the ending `.md`. Left out: it has none. */
  readonly markdown?: string;
};

const ownName = 'Webhook delivery';

const shortcuts = listedPages.filter(({ path }) =>
  ['docs/first-event', 'docs/reference', 'docs/errors'].includes(path),
);

/** The whole document of a page. Every link is relative, so that the site works below any prefix. */
export function pageHtml(draft: Draft, assets: Assets, brand: Brand): string {
  const siteName = brand.name ?? ownName;
  const to = (path: string) => escapeHtml(relativeUrl(draft.path, path));
  const name = draft.path === 'docs/index' ? `${siteName} documentation` : `${draft.title} · ${siteName}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(name)}</title>
<meta name="description" content="${escapeHtml(draft.description)}">
<meta name="color-scheme" content="light dark">
${draft.markdown === undefined ? '' : `<link rel="alternate" type="text/markdown" href="${to(`${draft.path}.md`)}">\n`}<link rel="icon" type="image/svg+xml" href="${to(assets.icon.name)}">
<link rel="stylesheet" href="${to(assets.style.name)}">
<script src="${to(assets.script.name)}" defer></script>
</head>
<body>
<a class="skip" href="#site-content">Skip to content</a>
<header class="top">
<a class="brand" href="${to('docs/index')}">${brandMark(siteName, assets, to)}</a>
${searchField(assets)}
<nav class="shortcuts" aria-label="Shortcuts">
${shortcuts.map(({ path, title }) => `<a href="${to(path)}">${escapeHtml(title)}</a>`).join('\n')}
<a href="${to('openapi.json')}">OpenAPI</a>
</nav>
<button class="menu-button" type="button" popovertarget="site-pages">Menu</button>
</header>
<div class="frame${draft.width === 'wide' ? ' wide' : ''}">
${pagesNav(draft, to, brand)}
<main id="site-content" tabindex="-1">
<article>
<h1>${escapeHtml(draft.title)}</h1>
${draft.lead === '' ? '' : `<p class="lead">${draft.lead}</p>`}
${draft.width === 'wide' ? '' : narrowContents(draft.headings)}
${draft.html}
</article>
${pageFoot(draft, to, brand)}
${neighbours(draft.path, to)}
</main>
${draft.width === 'wide' ? '' : wideContents(draft.headings)}
</div>
</body>
</html>
`;
}

type To = (path: string) => string;

/** The icon and the name, or a logo in place of both. */
function brandMark(name: string, { icon, logo, logoDark }: Assets, to: To): string {
  if (logo === undefined)
    return `<img src="${to(icon.name)}" width="28" height="28" alt=""><span>${escapeHtml(name)}</span>`;
  const dark =
    logoDark === undefined ? '' : `<source srcset="${to(logoDark.name)}" media="(prefers-color-scheme: dark)">`;
  return `<picture>${dark}<img class="logo" src="${to(logo.name)}" alt="${escapeHtml(name)}"></picture>`;
}

/** The script of the page shows it, and loads the search from its own folder. */
function searchField({ search }: Assets): string {
  return `<div class="search" role="search" hidden>
<svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="9" cy="9" r="5.5"/><path d="m13 13 4.5 4.5"/></svg>
<input id="site-search" type="search" role="combobox" aria-label="Search the documentation" aria-autocomplete="list" aria-expanded="false" aria-controls="site-found" aria-keyshortcuts="/" placeholder="Search" autocomplete="off" spellcheck="false" data-script="${posix.basename(search.name)}">
<kbd aria-hidden="true">/</kbd>
<div class="found">
<p role="status"></p>
<div id="site-found" role="listbox" aria-label="Results"></div>
</div>
</div>`;
}

/** A popover on narrow screens, a column on wide ones. */
function pagesNav(draft: Draft, to: To, { supportLink }: Brand): string {
  const sections = pageGroups.map(({ title, pages }) => {
    const links = pages.map((page) => `<li>${pageLink(draft, page, to)}</li>`).join('\n');
    return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${links}\n</ul>`;
  });
  if (supportLink !== undefined) {
    const link = `<a href="${escapeHtml(supportLink)}">Support</a>`;
    sections.push(`<h2>Help</h2>\n<ul>\n<li>${link}</li>\n</ul>`);
  }
  return `<nav class="pages" id="site-pages" popover aria-label="Pages">\n${sections.join('\n')}\n</nav>`;
}

function pageLink(draft: Draft, { path, title }: ListedPage, to: To): string {
  const isCurrent = draft.path === path;
  // A page of a problem code belongs to the index of errors.
  const isWithin = path === errorsPath && draft.path.startsWith(`${path}/`);
  const state = isCurrent ? ' aria-current="page"' : isWithin ? ' aria-current="true"' : '';
  const nested = isCurrent && draft.width === 'wide' ? `\n${contentsList(draft.headings)}` : '';
  return `<a href="${to(path)}"${state}>${escapeHtml(title)}</a>${nested}`;
}

function contentsList(headings: readonly Heading[]): string {
  const items = headings
    .filter(({ level }) => level <= 3)
    .map(({ level, id, text }) => {
      return `<li class="level-${level}"><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`;
    });
  return `<ul class="contents">\n${items.join('\n')}\n</ul>`;
}

/** One heading needs no list. */
const hasContents = (headings: readonly Heading[]) => headings.length > 1;

function narrowContents(headings: readonly Heading[]): string {
  if (!hasContents(headings)) return '';
  return (
    '<details class="on-page"><summary>On this page</summary>\n' +
    `<nav aria-label="On this page">${contentsList(headings)}</nav></details>`
  );
}

/** The column exists on every page, so that the text does not move from page to page. */
function wideContents(headings: readonly Heading[]): string {
  if (!hasContents(headings)) return '<div class="beside"></div>';
  return `<nav class="beside" aria-label="On this page">\n<p>On this page</p>\n${contentsList(headings)}\n</nav>`;
}

function pageFoot({ path, title, markdown }: Draft, to: To, { editUrl, feedbackUrl }: Brand): string {
  const source = listedPages.find((page) => page.path === path)?.source;
  const isWritten = source?.endsWith('.md') === true;
  const links = [
    markdown === undefined ? [] : [to(`${path}.md`), 'This page as Markdown'],
    editUrl === undefined || !isWritten ? [] : [escapeHtml(`${editUrl}/${source}`), 'Edit this page'],
    feedbackUrl === undefined ? [] : [escapeHtml(feedbackAddress(feedbackUrl, title)), 'Give feedback'],
  ]
    .filter((link) => link.length > 0)
    .map(([target, text]) => `<a href="${target}">${text}</a>`);
  return links.length === 0 ? '' : `<p class="page-foot">${links.join('\n')}</p>`;
}

/** An email says which page it is about. */
function feedbackAddress(url: string, title: string): string {
  return url.startsWith('mailto:') ? `${url}?subject=${encodeURIComponent(`Documentation: ${title}`)}` : url;
}

function neighbours(path: string, to: To): string {
  const index = listedPages.findIndex((page) => page.path === path);
  const link = (page: ListedPage | undefined, label: string, rel: string) =>
    page === undefined
      ? ''
      : `<a rel="${rel}" href="${to(page.path)}"><small>${label}</small>${escapeHtml(page.title)}</a>`;
  if (index === -1) return '';
  const links = `${link(listedPages[index - 1], 'Previous', 'prev')}${link(listedPages[index + 1], 'Next', 'next')}`;
  return `<nav class="neighbours" aria-label="Previous and next page">${links}</nav>`;
}
