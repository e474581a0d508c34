import { coloured } from './colour.ts';

type Cell = string | number | null;

/** Columns of which a cell can have a colour. */
const states = new Set<string | undefined>(['STATUS', 'RESULT']);

/** Lines of a table with aligned columns; `-` marks a missing value. */
export function textTable(columns: readonly string[], rows: readonly (readonly Cell[])[]): readonly string[] {
  const cells = [columns, ...rows].map((row) => row.map((cell) => plainText(cell) || '-'));
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((text, index) => {
        const shown = states.has(columns[index]) ? coloured(text) : text;
        return shown + ' '.repeat((widths[index] ?? 0) - text.length);
      })
      .join('  ')
      .trimEnd(),
  );
}

/** The cell of a record, by the title of its column: one of its members, or what a function makes of it. */
export type Columns<T> = Readonly<Record<string, NameOfCell<T> | ((record: T) => Cell)>>;

type NameOfCell<T> = { [Name in keyof T]: T[Name] extends Cell ? Name : never }[keyof T];

/** Lines of a table with a row for each record; no lines without records. */
export function recordTable<T>(records: readonly T[], columns: Columns<T>): readonly string[] {
  if (records.length === 0) return [];
  const rows = records.map((record) =>
    Object.values(columns).map((cell) => (typeof cell === 'function' ? cell(record) : String(record[cell] ?? ''))),
  );
  return textTable(Object.keys(columns), rows);
}

/** A line for each value that exists, behind labels of the same width. */
export function factLines(facts: Readonly<Record<string, Cell>>, width: number): readonly string[] {
  return Object.entries(facts)
    .filter(([, value]) => value !== null)
    .map(([label, value]) => `${label}: `.padEnd(width) + plainText(value));
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

/** `2 h 5 min`, `3 min 10 s` or `8 s`. @param ms milliseconds */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

/** A line that is shown only under a condition. */
export function when(isShown: boolean, line: string): readonly string[] {
  return isShown ? [line] : [];
}
