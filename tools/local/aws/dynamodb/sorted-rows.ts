import { compareTexts, type Item, readItem } from './attribute-value.ts';

/** `sort` orders the rows of a partition, and `rest` those of an index with the same `sort`. */
export type Place = { readonly partition: string; readonly sort: string; readonly rest: string };

/** A range of sort keys. */
export type Range = {
  readonly isBelow: (sort: string) => boolean;
  readonly isAbove: (sort: string) => boolean;
};

/** Where rows are kept when the process ends. */
export type RowStore = {
  readonly partitions: () => readonly string[];
  /** The rows of a partition in their order, with their items as JSON. */
  readonly rows: (partition: string) => readonly { sort: string; rest: string; item: string }[];
  /** @param item `undefined` removes the row */
  readonly save: (place: Place, item: Item | undefined) => void;
};

type Row = Place & {
  value: Item | undefined;
  /** The value as JSON, until it is read: an item takes longer to read than to store. */
  unread: string | undefined;
  /** What the row was, the newest last, each since when; empty unless rows keep them. */
  readonly versions: { since: number; value: Item | undefined }[];
};

const whole: Range = { isBelow: () => false, isAbove: () => false };

/** Rows in the order of their sort keys, within partitions. Its texts are in byte order. */
export class SortedRows {
  readonly #partitions = new Map<string, Row[]>();
  readonly #keepsVersions: boolean;
  readonly #store: RowStore | undefined;

  /**
   * @param keepsVersions whether reads may ask for an earlier state
   * @param store what it has is read when it is asked for, one partition at a time. Default: rows are in memory alone
   */
  constructor(keepsVersions: boolean, store?: RowStore) {
    this.#keepsVersions = keepsVersions;
    this.#store = store;
  }

  /** @param asOf epoch milliseconds of the state that is read; default: the current one */
  get(place: Place, asOf?: number): Item | undefined {
    const rows = this.#rowsOf(place.partition);
    const row = rows[findIndex(rows, (each) => comparePlaces(each, place) < 0)];
    return row !== undefined && comparePlaces(row, place) === 0 ? valueAsOf(row, asOf) : undefined;
  }

  /** @param value `undefined` removes the row */
  set(place: Place, value: Item | undefined, now: number): void {
    const rows = this.#rowsOf(place.partition);
    const index = findIndex(rows, (each) => comparePlaces(each, place) < 0);
    const found = rows[index];
    const isKnown = found !== undefined && comparePlaces(found, place) === 0;
    if (!isKnown && value === undefined) return;
    if (rows.length === 0) this.#partitions.set(place.partition, rows);
    const row = isKnown ? found : { ...place, value, unread: undefined, versions: [] };
    if (!isKnown) rows.splice(index, 0, row);
    row.value = value;
    row.unread = undefined;
    if (this.#keepsVersions) row.versions.push({ since: now, value });
    else if (value === undefined) rows.splice(index, 1);
    if (rows.length === 0) this.#partitions.delete(place.partition);
    this.#store?.save(place, value);
  }

  #rowsOf(partition: string): Row[] {
    const known = this.#partitions.get(partition);
    if (known !== undefined) return known;
    const stored = this.#store?.rows(partition) ?? [];
    const rows = stored.map(({ sort, rest, item }) => ({
      partition,
      sort,
      rest,
      value: undefined,
      unread: item,
      versions: [],
    }));
    if (rows.length > 0) this.#partitions.set(partition, rows);
    return rows;
  }

  /** The rows of a range of a partition. @param after the place after which to begin */
  *range(
    partition: string,
    options: { range?: Range; after?: Place | null; isBackward?: boolean; asOf?: number | undefined } = {},
  ): Generator<Item> {
    const { range = whole, after = null, isBackward = false, asOf } = options;
    const rows = this.#rowsOf(partition);
    const first = findIndex(rows, ({ sort }) => range.isBelow(sort));
    const end = findIndex(rows, ({ sort }) => !range.isAbove(sort));
    if (isBackward) {
      const start = after === null ? end : findIndex(rows, (row) => comparePlaces(row, after) < 0);
      for (let index = Math.min(start, end) - 1; index >= first; index -= 1) yield* valuesAsOf(rows[index], asOf);
    } else {
      const start = after === null ? first : findIndex(rows, (row) => comparePlaces(row, after) <= 0);
      for (let index = Math.max(start, first); index < end; index += 1) yield* valuesAsOf(rows[index], asOf);
    }
  }

  /** The rows of all partitions, one partition after the other. */
  *all(after: Place | null, isChosen: (partition: string) => boolean): Generator<Item> {
    const partitions = this.#store?.partitions() ?? [...this.#partitions.keys()];
    const chosen = partitions.filter(isChosen).sort(compareTexts);
    for (const partition of chosen) {
      if (after !== null && partition < after.partition) continue;
      yield* this.range(partition, { after: partition === after?.partition ? after : null });
    }
  }
}

function valueAsOf(row: Row, asOf: number | undefined): Item | undefined {
  if (row.unread !== undefined) {
    row.value = readItem(JSON.parse(row.unread));
    row.unread = undefined;
  }
  return asOf === undefined ? row.value : row.versions.findLast(({ since }) => since <= asOf)?.value;
}

function* valuesAsOf(row: Row | undefined, asOf: number | undefined): Generator<Item> {
  const value = row && valueAsOf(row, asOf);
  if (value !== undefined) yield value;
}

function comparePlaces(one: Place, other: Place): number {
  return compareTexts(one.sort, other.sort) || compareTexts(one.rest, other.rest);
}

/** Index of the first row that is not before something: all rows before it are. */
function findIndex(rows: readonly Row[], isBefore: (row: Row) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle];
    if (row !== undefined && isBefore(row)) low = middle + 1;
    else high = middle;
  }
  return low;
}
