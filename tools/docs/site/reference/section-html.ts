import { escapeHtml } from '../html.ts';

/** Text beside its examples. */
export function sectionHtml(text: readonly string[], examples: readonly string[]): string {
  const described = `<div class="text">\n${text.join('\n')}</div>\n`;
  if (examples.length === 0) return `<section class="operation alone">\n${described}</section>`;
  return (
    `<section class="operation">\n${described}` +
    `<div class="examples">\n${examples.join('\n')}</div>\n</section>`
  );
}

export function exampleHtml(title: string, code: string): string {
  return `<div class="example"><p>${escapeHtml(title)}</p>\n${code}</div>`;
}
