import { z } from 'zod';
import { TurnDatabase } from '../turn-database.ts';
import type { Item } from './attribute-value.ts';
import type { Place, RowStore } from './sorted-rows.ts';

const sql = `
CREATE TABLE IF NOT EXISTS tables (name TEXT PRIMARY KEY, input TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS rows (
  name TEXT NOT NULL, index_name TEXT NOT NULL, partition TEXT NOT NULL, sort TEXT NOT NULL, rest TEXT NOT NULL,
  item TEXT NOT NULL, PRIMARY KEY (name, index_name, partition, sort, rest)
) WITHOUT ROWID`;

const ofRows = 'FROM rows WHERE name = ? AND index_name = ?';
const ofPartition = `${ofRows} AND partition = ?`;

const inputs = z.array(z.object({ input: z.string().transform((text): unknown => JSON.parse(text)) }));
const partitions = z.array(z.object({ partition: z.string() }));
const storedRows = z.array(z.object({ sort: z.string(), rest: z.string(), item: z.string() }));

/** Stores tables and their rows on disk. A transaction is stored whole or not at all. */
export class TableDatabase {
  readonly #database: TurnDatabase;

  /** @throws Error when another process holds the file */
  constructor(file: string) {
    this.#database = new TurnDatabase(file, sql, 'table');
  }

  /** The input with which each table was created. */
  tables(): readonly unknown[] {
    return inputs.parse(this.#database.rows('SELECT input FROM tables')).map(({ input }) => input);
  }

  createTable(name: string, input: unknown): void {
    this.#database.run('INSERT INTO tables VALUES (?, ?)', name, JSON.stringify(input));
  }

  dropTable(name: string): void {
    this.#database.run('DELETE FROM rows WHERE name = ?', name);
    this.#database.run('DELETE FROM tables WHERE name = ?', name);
  }

  /** The rows of a table or of one of its indexes. */
  rows(table: string, index = ''): RowStore {
    const database = this.#database;
    return {
      partitions: () =>
        partitions
          .parse(database.rows(`SELECT DISTINCT partition ${ofRows}`, table, index))
          .map(({ partition }) => partition),
      rows: (partition) =>
        storedRows.parse(
          database.rows(`SELECT sort, rest, item ${ofPartition} ORDER BY sort, rest`, table, index, partition),
        ),
      save: ({ partition, sort, rest }: Place, item: Item | undefined) => {
        const key = [table, index, partition, sort, rest];
        if (item === undefined) database.run(`DELETE ${ofPartition} AND sort = ? AND rest = ?`, ...key);
        else database.run('INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?, ?, ?)', ...key, JSON.stringify(item));
      },
    };
  }

  close(): void {
    this.#database.close();
  }
}
