/** Lines of a table with aligned columns; `-` marks a missing value. */
export function textTable(
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

function cellText(value: string | null): string {
  return plainText(value ?? '') || '-';
}

/** Removes control characters, which stored text may contain: they could control the terminal or break the row. */
export function plainText(text: string): string {
  return text.replaceAll(/\p{C}+/gu, ' ').trim();
}
