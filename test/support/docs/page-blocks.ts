import { readFileSync } from 'node:fs';

/** The text of a page in `docs/pages`. */
export function pageText(page: string): string {
  return readFileSync(new URL(`../../../docs/pages/${page}`, import.meta.url), 'utf8');
}

/** The code that a page shows for a file, which it introduces with the file's name. @throws Error if there is none */
export function fileOnPage(page: string, name: string): string {
  const lines = pageText(page).split(/^/m);
  const introduction = lines.findIndex((line) => line.startsWith(`\`${name}\``) && line.endsWith(':\n'));
  const code = introduction === -1 ? undefined : firstBlock(lines.slice(introduction).join(''));
  if (code === undefined) throw new Error(`docs/pages/${page} does not show ${name}`);
  return code;
}

/** The first code block after a text of a page. @throws Error if the page has no such text, or no block after it */
export function blockAfter(page: string, text: string): string {
  const [, ...rest] = pageText(page).split(text);
  const code = firstBlock(rest.join(text));
  if (code === undefined) throw new Error(`docs/pages/${page} has no code after "${text}"`);
  return code;
}

function firstBlock(text: string): string | undefined {
  return /^ *```\w+\n([\s\S]*?)^ *```$/m.exec(text)?.[1];
}

/**
 * The lines of an output without what differs in each run: ids, secrets, times, ports, and the width of columns. A line
 * `…` of a page, which stands for lines that it leaves out, is dropped.
 */
export function comparableLines(output: string): readonly string[] {
  const lines = output.split('\n').map((line) =>
    line
      .replaceAll(/\b(whe|whd|evt|run|cus)_[\w…]+/g, '$1_…')
      .replaceAll(/\b(whsec|key)_\S+/g, '$1_…')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d\d:\d\d:\d\d\b/g, '<time>')
      .replaceAll(/\b[\d.]+ (ms|s)\b/g, '<duration>')
      .replaceAll(/:\d{4,5}\b/g, ':<port>')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
  return lines.filter((line) => line !== '' && line !== '…');
}
