/** A test that a page names: its file, and its title as in the source. */
export type NamedTest = { readonly file: string; readonly title: string };

type Row = { readonly line: number; readonly cells: readonly string[] };
export type MarkdownTable = { readonly header: readonly string[]; readonly rows: readonly Row[] };

const naming = /`(test\/[\w./-]+(?:\.test|-suite)\.ts)` › ("[^"]+"(?:, "[^"]+")*)/g;

/** Reads `` `test/….test.ts` › "title", "another title of that file" ``, also of a suite of `test/ports`. */
export function namedTests(text: string): readonly NamedTest[] {
  return [...text.matchAll(naming)].flatMap(([, file = '', titles = '']) =>
    [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ file, title })),
  );
}

/** Every test file that a page names in any form. */
export function namedFiles(text: string): readonly string[] {
  return [...text.matchAll(/\btest\/[\w./-]+\.ts\b/g)].map(([file]) => file);
}

/** Cells are split at each bar: a title that contains one cannot be named. */
export function markdownTables(text: string): readonly MarkdownTable[] {
  const tables: { header: readonly string[]; rows: Row[] }[] = [];
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith('|') || /^\|[\s|:-]+$/.test(line)) continue;
    const cells = line.slice(1, line.lastIndexOf('|')).split('|');
    const trimmed = cells.map((cell) => cell.trim());
    if (lines[index - 1]?.startsWith('|')) tables.at(-1)?.rows.push({ line: index + 1, cells: trimmed });
    else tables.push({ header: trimmed, rows: [] });
  }
  return tables;
}

/** The cells of each row of the first table that has a column of this name. */
export function rowsWith(text: string, column: string): readonly (readonly string[])[] {
  const table = markdownTables(text).find(({ header }) => header.includes(column));
  return table?.rows.map(({ cells }) => cells) ?? [];
}

/** Whether a file has a test or a group with this title, as written in the source: the first argument of a call. */
export function hasTitle(code: string, title: string): boolean {
  const calls = code.replaceAll(/\\(['"`])/g, '$1').replaceAll(/\(\s+/g, '(');
  return ["'", '"', '`'].some((quote) => calls.includes(`(${quote}${title}${quote},`));
}
