import { isProblemCode } from '#shared/contract/problem-codes.ts';
import { escapeHtml } from './html.ts';
import { relativeUrl } from './links.ts';
import { errorPath } from './page-list.ts';

/** A link from a page to that of a problem code; `undefined` for another text. */
export function problemLink(page: string, code: string): string | undefined {
  if (!isProblemCode(code)) return undefined;
  return `<a href="${escapeHtml(relativeUrl(page, errorPath(code)))}"><code>${code}</code></a>`;
}
