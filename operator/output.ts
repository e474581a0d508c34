import type { OutputConfiguration } from 'commander';

/** Where a command writes its result. */
export type Output = (text: string) => void;

export type OutputOptions = { readonly json?: true };

/** Settings of a command line: results go to `print`, and what is wrong with the line is told in one line. */
export function outputTo(print: Output): OutputConfiguration {
  return {
    writeOut: print,
    outputError: (text, write) => write(`${text.trim().replaceAll('\n', ' ')}; --help shows what there is\n`),
  };
}

/** Prints a result as one line of JSON, or as lines for a person. */
export function show(print: Output, options: OutputOptions, result: object, lines: readonly string[]): void {
  print(`${options.json === true ? JSON.stringify(result) : lines.join('\n')}\n`);
}

/** Lines of a table with aligned columns; `-` where there is no value. */
export function tableLines(
  columns: readonly string[],
  rows: readonly (readonly (string | null)[])[],
): readonly string[] {
  const cells = [columns, ...rows].map((row) => row.map(cellText));
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** A name may hold anything; a terminal must not act on it, and a row is one line. */
function cellText(value: string | null): string {
  return (value ?? '').replaceAll(/\p{C}+/gu, ' ').trim() || '-';
}
