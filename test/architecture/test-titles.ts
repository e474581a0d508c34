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

const beginnings = /\b(?:it|test|describe)((?:\.\w+)*)(?:<[^\n]*?>)?\s*\(/g;
const literal = /^\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`)/;

/** The titles of the tests and groups of a file, with placeholders as they are written. */
export function titlesOf(code: string): ReadonlySet<string> {
  const titles = [...code.matchAll(beginnings)].map((match) => {
    const first = match.index + match[0].length;
    const isEach = (match[1] ?? '').split('.').includes('each');
    const behind = isEach ? nextCall(code, closingParenthesis(code, first)) : first;
    return literalAt(code.slice(behind, behind + 500));
  });
  return new Set(titles.filter((title) => title !== null));
}

/** The index at which the arguments of the second call begin, as in `it.each(cases)(`. */
function nextCall(code: string, from: number): number {
  const gap = /^\s*\(/.exec(code.slice(from, from + 200));
  return gap === null ? code.length : from + gap[0].length;
}

/** The index behind the parenthesis that closes the one before `from`; strings in between are skipped. */
function closingParenthesis(code: string, from: number): number {
  let depth = 1;
  for (let index = from; index < code.length; index += 1) {
    const character = code.charAt(index);
    if (`'"\``.includes(character)) index += (literal.exec(code.slice(index))?.[0].length ?? 1) - 1;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (depth === 0) return index + 1;
  }
  return code.length;
}

function literalAt(code: string): string | null {
  const match = literal.exec(code);
  const text = match?.[1] ?? match?.[2] ?? match?.[3];
  return text?.replace(/\\(['"`])/g, '$1') ?? null;
}
