import { describe, expect, it } from 'vitest';
import { modelRows, modelTable } from '../../../bench/neighbour/model-rows.ts';

const rows = modelRows();

function rowsOf(queue: string) {
  return rows.filter((row) => row.queue === queue);
}

describe('modelRows()', () => {
  it('has a row for each slow endpoint, way to add functions and queue', () => {
    const keys = rows.map(({ neighbour, added, queue }) => `${neighbour} ${added} ${queue}`);

    expect(new Set(keys).size).toBe(3 * 2 * 3);
  });

  it('models quick endpoints that never wait when they are alone', () => {
    expect(rows.map(({ alone }) => alone.max)).toEqual(rows.map(() => 100));
  });

  it('models a slow lane that never makes quick endpoints wait longer than a fair queue without one', () => {
    const fair = rowsOf('fair');

    rowsOf('fair, with a slow lane').forEach((row, index) => {
      expect(row.quick.p99).toBeLessThanOrEqual(fair[index]?.quick.p99 ?? 0);
    });
  });
});

describe('modelTable()', () => {
  it('shows each row with its ratio to the run without the slow endpoint', () => {
    const { columns, rows: cells } = modelTable(rows);

    expect(cells).toHaveLength(rows.length);
    expect(cells.map((row) => row.length)).toEqual(rows.map(() => columns.length));
    expect(cells[0]?.at(-1)).toBe((rows[0]?.quick.p99 ?? 0) / 100);
  });
});
