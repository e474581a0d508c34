import { compareTexts } from './attribute-value.ts';

/** `sort` orders the rows of a partition, and `rest` those of an index with the same `sort`. */
export type Place = { readonly partition: string; readonly sort: string; readonly rest: string };

/** A range of sort keys. */
export type Range = {
  readonly isBelow: (sort: string) => boolean;
  readonly isAbove: (sort: string) => boolean;
};

/** `versions`: what the row was, the newest last, each since when; empty unless rows keep them. */
type Row<T> = Place & { value: T | undefined; readonly versions: { since: number; value: T | undefined }[] };

const whole: Range = { isBelow: () => false, isAbove: () => false };

/** Rows in the order of their sort keys, within partitions. Its texts are in byte order. */
export class SortedRows<T> {
  readonly #partitions = new Map<string, Row<T>[]>();
  readonly #keepsVersions: boolean;

  /** @param keepsVersions whether reads may ask for an earlier state */
  constructor(keepsVersions: boolean) {
    this.#keepsVersions = keepsVersions;
  }

  /** @param asOf epoch milliseconds of the state that is read; default: the current one */
  get(place: Place, asOf?: number): T | undefined {
    const rows = this.#partitions.get(place.partition) ?? [];
    const row = rows[findIndex(rows, (each) => comparePlaces(each, place) < 0)];
    return row !== undefined && comparePlaces(row, place) === 0 ? valueAsOf(row, asOf) : undefined;
  }

  /** @param value `undefined` removes the row */
  set(place: Place, value: T | undefined, now: number): void {
    const rows = this.#partitions.get(place.partition) ?? [];
    const index = findIndex(rows, (each) => comparePlaces(each, place) < 0);
    const found = rows[index];
    const isKnown = found !== undefined && comparePlaces(found, place) === 0;
    if (!isKnown && value === undefined) return;
    if (rows.length === 0) this.#partitions.set(place.partition, rows);
    const row = isKnown ? found : { ...place, value, versions: [] };
    if (!isKnown) rows.splice(index, 0, row);
    row.value = value;
    if (this.#keepsVersions) row.versions.push({ since: now, value });
    else if (value === undefined) rows.splice(index, 1);
    if (rows.length === 0) this.#partitions.delete(place.partition);
  }

  /** The rows of a range of a partition. @param after the place after which to begin */
  *range(
    partition: string,
    options: { range?: Range; after?: Place | null; isBackward?: boolean; asOf?: number | undefined } = {},
  ): Generator<T> {
    const { range = whole, after = null, isBackward = false, asOf } = options;
    const rows = this.#partitions.get(partition) ?? [];
    const first = findIndex(rows, ({ sort }) => range.isBelow(sort));
    const end = findIndex(rows, ({ sort }) => !range.isAbove(sort));
    if (isBackward) {
      const start = after === null ? end : findIndex(rows, (row) => comparePlaces(row, after) < 0);
      for (let index = Math.min(start, end) - 1; index >= first; index -= 1)
        yield* valuesAsOf(rows[index], asOf);
    } else {
      const start = after === null ? first : findIndex(rows, (row) => comparePlaces(row, after) <= 0);
      for (let index = Math.max(start, first); index < end; index += 1) yield* valuesAsOf(rows[index], asOf);
    }
  }

  /** The rows of all partitions, one partition after the other. */
  *all(after: Place | null, isChosen: (partition: string) => boolean): Generator<T> {
    const chosen = [...this.#partitions.keys()].filter(isChosen).sort(compareTexts);
    for (const partition of chosen) {
      if (after !== null && partition < after.partition) continue;
      yield* this.range(partition, { after: partition === after?.partition ? after : null });
    }
  }
}

function valueAsOf<T>({ value, versions }: Row<T>, asOf: number | undefined): T | undefined {
  return asOf === undefined ? value : versions.findLast(({ since }) => since <= asOf)?.value;
}

function* valuesAsOf<T>(row: Row<T> | undefined, asOf: number | undefined): Generator<T> {
  const value = row && valueAsOf(row, asOf);
  if (value !== undefined) yield value;
}

function comparePlaces(one: Place, other: Place): number {
  return compareTexts(one.sort, other.sort) || compareTexts(one.rest, other.rest);
}

/** Index of the first row that is not before something: all rows before it are. */
function findIndex<T>(rows: readonly Row<T>[], isBefore: (row: Row<T>) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle];
    if (row !== undefined && isBefore(row)) low = middle + 1;
    else high = middle;
  }
  return low;
}
