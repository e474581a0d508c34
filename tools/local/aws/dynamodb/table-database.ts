import { z } from 'zod';
import { TurnDatabase } from '../turn-database.ts';
import { type Item, readItem } from './attribute-value.ts';
import type { Place } from './sorted-rows.ts';

const sql = `
CREATE TABLE IF NOT EXISTS tables (name TEXT PRIMARY KEY, input TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS items (
  name TEXT NOT NULL, pk TEXT NOT NULL, sk TEXT NOT NULL, item TEXT NOT NULL, PRIMARY KEY (name, pk, sk)
) WITHOUT ROWID`;

const json = z.string().transform((text): unknown => JSON.parse(text));
const tableRow = z.object({ name: z.string(), input: json });
const itemRow = z.object({ name: z.string(), item: json.pipe(z.transform((item) => readItem(item))) });

/** Stores tables and items on disk. A transaction is stored whole or not at all. */
export class TableDatabase {
  readonly #database: TurnDatabase;

  /** @throws Error when another process holds the file */
  constructor(file: string) {
    this.#database = new TurnDatabase(file, sql, 'table');
  }

  /** The input with which each table was created, and its items. */
  tables(): readonly { readonly input: unknown; readonly items: readonly Item[] }[] {
    const rows = z.array(itemRow).parse(this.#database.rows('SELECT name, item FROM items'));
    const items = Map.groupBy(rows, ({ name }) => name);
    const tables = z.array(tableRow).parse(this.#database.rows('SELECT * FROM tables'));
    return tables.map(({ name, input }) => ({
      input,
      items: (items.get(name) ?? []).map(({ item }) => item),
    }));
  }

  createTable(name: string, input: unknown): void {
    this.#database.run('INSERT INTO tables VALUES (?, ?)', name, JSON.stringify(input));
  }

  dropTable(name: string): void {
    this.#database.run('DELETE FROM items WHERE name = ?', name);
    this.#database.run('DELETE FROM tables WHERE name = ?', name);
  }

  /** @param item `undefined` removes it */
  store(name: string, { partition, sort }: Place, item: Item | undefined): void {
    if (item === undefined)
      this.#database.run('DELETE FROM items WHERE name = ? AND pk = ? AND sk = ?', name, partition, sort);
    else
      this.#database.run(
        'INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?)',
        name,
        partition,
        sort,
        JSON.stringify(item),
      );
  }

  close(): void {
    this.#database.close();
  }
}
