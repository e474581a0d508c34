import { posix } from 'node:path';
import { listedPages } from './page-list.ts';

/** Files of the repository that a page renders. */
const renderedFiles: Readonly<Record<string, string>> = { 'docs/openapi.json': 'docs/reference' };

const pathsBySource = new Map(
  listedPages.flatMap(({ path, source }) => (source === undefined ? [] : [[source, path] as const])),
);

/** The address of one page as a link in another; the same below every prefix and domain. */
export function relativeUrl(from: string, to: string): string {
  // A page can have the name of the folder that it is linked from.
  return posix.join(posix.relative(posix.dirname(from), posix.dirname(to)), posix.basename(to));
}

export type MarkdownPlace = {
  /** The Markdown file, from the root of the repository. */
  readonly source: string;
  /** The page that it becomes. */
  readonly path: string;
};

/**
 * Translates the target of a Markdown link.
 *
 * @returns `undefined` for a file of the repository that is not a page of the site
 */
export function siteLink(place: MarkdownPlace, target: string): string | undefined {
  if (/^(https?|mailto):/.test(target) || target.startsWith('#')) return target;
  const [file = '', anchor] = target.split('#');
  const named = posix.join(posix.dirname(place.source), file);
  const path = pathsBySource.get(named) ?? renderedFiles[named];
  if (path === undefined) return undefined;
  return anchor === undefined ? relativeUrl(place.path, path) : `${relativeUrl(place.path, path)}#${anchor}`;
}
