type Cell = string | number | null;

/** Lines of a table with aligned columns; `-` marks a missing value. */
export function textTable(columns: readonly string[], rows: readonly (readonly Cell[])[]): readonly string[] {
  const cells = [columns, ...rows].map((row) => row.map((cell) => plainText(cell) || '-'));
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/**
 * Lines of a table with a row for each record.
 *
 * @param columns the cell of a record, by the title of its column
 */
export function recordTable<T>(
  records: readonly T[],
  columns: Readonly<Record<string, (record: T) => Cell>>,
): readonly string[] {
  const cells = Object.values(columns);
  return textTable(
    Object.keys(columns),
    records.map((record) => cells.map((cell) => cell(record))),
  );
}

/** A line for each value that exists, behind labels of the same width. */
export function factLines(facts: Readonly<Record<string, Cell>>, width: number): readonly string[] {
  return Object.entries(facts)
    .filter(([, value]) => value !== null)
    .map(([label, value]) => `${label}:`.padEnd(width) + plainText(value));
}

/** Removes control characters, which stored text may contain: they could control the terminal or break the row. */
export function plainText(value: Cell): string {
  return String(value ?? '')
    .replaceAll(/\p{C}+/gu, ' ')
    .trim();
}

/** `1 delivery`, `2 deliveries`. @param many default: the word with an `s` */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A line that is shown only under a condition. */
export function when(isShown: boolean, line: string): readonly string[] {
  return isShown ? [line] : [];
}
