import { posix } from 'node:path';
import { isProblemCode } from '#shared/contract/problem-codes.ts';
import { escapeHtml } from './html.ts';
import { errorPath, type ListedPage, listedPages } from './page-list.ts';

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

/** A link from a page to that of a problem code; `undefined` for another text. */
export function problemLink(page: string, code: string): string | undefined {
  if (!isProblemCode(code)) return undefined;
  return `<a href="${escapeHtml(relativeUrl(page, errorPath(code)))}"><code>${code}</code></a>`;
}
