import { engineCodes, problemCodeNames } from '#shared/contract/problem-codes.ts';
import { problemMarkdown } from './as-markdown.ts';
import { jsonBlock } from './highlight.ts';
import { escapeHtml, headingHtml, sentences, tableHtml } from './html.ts';
import type { Draft } from './layout.ts';
import { type ProblemText, problemText } from './openapi/problems.ts';
import { errorPath, errorsPath, listedPages, relativeUrl } from './page-list.ts';

/** Base address of the documentation in examples. */
const exampleDocsUrl = 'https://api.example.com/docs';

export const problemTexts = problemCodeNames.map((code) => problemText(code, exampleDocsUrl));

/** The page of each problem code: what happened, whether to retry, how to fix it. */
export function errorPages(): readonly Draft[] {
  return problemTexts.map(errorPage);
}

function errorPage(text: ProblemText): Draft {
  const path = errorPath(text.code);
  const sections = [
    ['what-happened', 'What happened', paragraphs(happened(text))],
    ['may-i-retry', 'May I retry', paragraphs(text.retry)],
    ['how-to-fix-it', 'How to fix it', paragraphs(text.fix) + seeAlso(path, text.see)],
    ['example', 'Example', jsonBlock(text.example)],
  ] as const;
  return {
    path,
    title: text.title,
    description: text.meaning.replaceAll('`', ''),
    lead: summary(text),
    html: sections.map(([id, title, html]) => `${headingHtml(2, id, title, title)}${html}`).join('\n'),
    // Short enough to be read without a list of its headings.
    headings: [],
    markdown: problemMarkdown(text),
  };
}

function summary({ code, status, retry }: ProblemText): string {
  const advice = mayRetry(retry) ? '<span class="status good">Retry</span>' : '<span class="status">No retry</span>';
  return `<code>${code}</code> <span class="status">HTTP ${status}</span> ${advice}`;
}

function mayRetry(retry: string): boolean {
  return retry.startsWith('Yes');
}

function happened({ code, meaning }: ProblemText): string {
  const found =
    'No request of this API fails with this code. It appears in the `error` of a Run or of an item of a Run.';
  return engineCodes.has(code) ? `${meaning}\n${found}` : meaning;
}

function paragraphs(text: string): string {
  return text
    .split('\n')
    .map((paragraph) => `<p>${sentences(paragraph)}</p>\n`)
    .join('');
}

function seeAlso(from: string, names: readonly string[]): string {
  const wanted = new Set(names.map((name) => `docs/${name}`));
  const pages = listedPages.filter(({ path }) => wanted.has(path));
  if (pages.length === 0) return '';
  const links = pages.map(
    ({ path, title }) => `<a href="${escapeHtml(relativeUrl(from, path))}">${escapeHtml(title)}</a>`,
  );
  return `<p>See also: ${links.join(', ')}</p>\n`;
}

/** Every code with its status, its title and whether a retry helps. */
export function errorIndex(raisedBy: 'api' | 'engine'): string {
  const rows = problemTexts
    .filter((text) => engineCodes.has(text.code) === (raisedBy === 'engine'))
    .toSorted((one, other) => one.status - other.status)
    .map(({ code, status, title, retry }) => [
      String(status),
      `<a id="${code}" href="${escapeHtml(relativeUrl(errorsPath, errorPath(code)))}"><code>${code}</code></a>`,
      escapeHtml(title),
      mayRetry(retry) ? 'Yes' : 'No',
    ]);
  return tableHtml(['Status', 'Code', 'Title', 'Retry'], rows);
}
