import { posix } from 'node:path';
import { isProblemCode } from '#shared/contract/problem-codes.ts';
import { escapeHtml } from './html.ts';

/** A page of the navigation. */
export type ListedPage = {
  /** Address below the site, without an ending. */
  readonly path: string;
  /** Title in the navigation; a page shows its own heading. */
  readonly title: string;
  /** The file that it renders, from the root of the repository. */
  readonly source: string;
};

type PageGroup = { readonly title: string; readonly pages: readonly ListedPage[] };

const fromPages = (name: string, title: string): ListedPage => ({
  path: `docs/${name}`,
  title,
  source: `docs/pages/${name}.md`,
});

/** Every page but those of the problem codes, in reading order. */
export const pageGroups: readonly PageGroup[] = [
  {
    title: 'Get started',
    pages: [
      fromPages('index', 'Overview'),
      fromPages('first-event', 'Your first event'),
      fromPages('receive-and-verify', 'Receive and verify'),
      fromPages('test-your-handler', 'Test your handler'),
      fromPages('local-development', 'Local development'),
      fromPages('going-live', 'Go live'),
    ],
  },
  {
    title: 'Guides',
    pages: [
      fromPages('events', 'Events'),
      fromPages('retries-and-replay', 'Retries and replay'),
      fromPages('paging-and-limits', 'Paging and limits'),
      fromPages('console', 'Console'),
      fromPages('troubleshooting', 'Troubleshooting'),
      fromPages('clients', 'API clients'),
      fromPages('migrate', 'Move from another sender'),
    ],
  },
  {
    title: 'Reference',
    pages: [
      { path: 'docs/reference', title: 'API reference', source: 'docs/openapi.json' },
      fromPages('errors', 'Errors'),
      { path: 'docs/glossary', title: 'Glossary', source: 'docs/glossary.md' },
      { path: 'docs/changelog', title: 'Changelog', source: 'CHANGELOG.md' },
    ],
  },
  {
    title: 'About the service',
    pages: [
      fromPages('security', 'Security'),
      fromPages('reliability', 'Reliability'),
      fromPages('what-we-do-not-do', 'What we do not do'),
    ],
  },
];

export const listedPages: readonly ListedPage[] = pageGroups.flatMap(({ pages }) => pages);

export const errorsPath = 'docs/errors';

/** Address of the page of a problem code. */
export function errorPath(code: string): string {
  return `${errorsPath}/${code}`;
}

const pathsBySource = new Map(listedPages.map(({ path, source }) => [source, path]));

/** The address of one page as a link in another; the same below every prefix and domain. */
export function relativeUrl(from: string, to: string): string {
  // A page can have the name of the folder that it is linked from.
  return posix.join(posix.relative(posix.dirname(from), posix.dirname(to)), posix.basename(to));
}

/**
 * Translates the target of a Markdown link.
 *
 * @returns `undefined` for a file of the repository that is not a page of the site
 */
export function siteLink(place: ListedPage, target: string): string | undefined {
  if (/^(https?|mailto):/.test(target) || target.startsWith('#')) return target;
  const [file = '', anchor] = target.split('#');
  const named = posix.join(posix.dirname(place.source), file);
  const path = pathsBySource.get(named);
  if (path === undefined) return undefined;
  return anchor === undefined ? relativeUrl(place.path, path) : `${relativeUrl(place.path, path)}#${anchor}`;
}

/**
 * What a page says to customers: what is above the comment that says so, or all of it. The changelog has one part of a
 * version for customers, and others for operators; versions before 0.3.0 have none.
 */
export function forCustomers(text: string, { source }: ListedPage): string {
  if (source !== 'CHANGELOG.md') return text.split(/^<!-- for operators: .* -->$/m)[0] ?? text;
  const versions = text.split(/^(?=## )/m).map((version) => {
    const [head = '', ...parts] = version.split(/^(?=### )/m);
    const part = parts.find((each) => each.startsWith('### API and deliveries\n'));
    return part === undefined ? version : head + part;
  });
  return versions.join('');
}

/** References in parentheses, such as `([how](a.md), [price](b.md))`. */
const references = /\s\((?:\[[^\]]*\]\([^)\s]+\)(?:,\s)?)+\)/g;

/** A page without the references in parentheses of which no file is on the site: their text alone says nothing. */
export function withoutLostReferences(text: string, place: ListedPage): string {
  return text.replaceAll(references, (reference) =>
    [...reference.matchAll(/\]\(([^)\s]+)\)/g)].some(([, target = '']) => siteLink(place, target)) ? reference : '',
  );
}

/** A link from a page to that of a problem code; `undefined` for another text. */
export function problemLink(page: string, code: string): string | undefined {
  if (!isProblemCode(code)) return undefined;
  return `<a href="${escapeHtml(relativeUrl(page, errorPath(code)))}"><code>${code}</code></a>`;
}
