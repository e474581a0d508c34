import type { Table } from '#shared/aws/clients.ts';
import { type Observed, type ObservedRange, readObserved } from '#shared/aws/table/deliveries/observed-deliveries.ts';
import type { DeliveryHistory } from '#shared/domain/endpoint.ts';
import type { StatsWindow } from '#shared/domain/stats-window.ts';

/** What is sampled, and for whom. */
export type Sampling = {
  readonly table: Table;
  readonly endpoint: DeliveryHistory;
  /** Rows that expired before its end are left out. */
  readonly window: StatsWindow;
  /** Called before more is read than a request includes; throws when it cannot be paid. */
  readonly payRequest: () => Promise<void>;
};

/** Deliveries that the first round reads at most: about a quarter of all units. */
const firstRound = 480;

/** Read units of all rounds. With the credential and the endpoint, a request takes at most 250. */
const mostUnits = 240;

/** Read units that are included in a request. */
const requestUnits = 60;

/** Fewer deliveries do not show how fast they follow each other. */
const leastRows = 3;

/** How far half a read unit is filled, for which DynamoDB reads 4 KB of a query: rows differ in size. */
const filled = 0.85;

/** Reads in rounds, within a number of read units. */
export class ReadRounds {
  readonly #sampling: Sampling;
  #units = 0;
  #paid = 1;
  #rowsPerHalf = 1;

  constructor(sampling: Sampling) {
    this.#sampling = sampling;
  }

  /** The first round: the newest deliveries of each partition. */
  async readNewest(first: string): Promise<readonly Observed[]> {
    const limit = Math.max(leastRows, Math.floor(firstRound / this.#sampling.endpoint.deliveryPartitions));
    const parts = await this.#readEach({ first, end: null }, limit);
    const rows = sum(parts.map((part) => part.rows.length));
    this.#rowsPerHalf = Math.max(1, Math.floor((filled * rows) / (2 * sum(parts.map(({ units }) => units)))));
    return parts;
  }

  /** Whether each partition has older deliveries. */
  async haveBefore(end: string): Promise<readonly boolean[]> {
    return (await this.#readEach({ first: null, end }, 1)).map(({ rows }) => rows.length > 0);
  }

  /**
   * Reads a part of each range, all of the same number of rows.
   *
   * @param share of the read units that are left; large deliveries take more
   * @returns the results in the same order; `null` for `null`, and for all when the units do not suffice
   */
  async read(ranges: readonly (ObservedRange | null)[], share: number): Promise<readonly (Observed | null)[]> {
    const count = ranges.filter((range) => range !== null).length;
    const halves = Math.max(this.#least, Math.floor((share * this.#halves) / Math.max(1, count)));
    if (count === 0 || count * halves > this.#halves) return ranges.map(() => null);
    for (const after = this.#units + (count * halves) / 2; after > this.#paid * requestUnits; this.#paid += 1) {
      await this.#sampling.payRequest();
    }
    const limit = halves * this.#rowsPerHalf;
    return Promise.all(ranges.map((range) => (range === null ? null : this.#count(range, limit))));
  }

  /** Halves of a read unit that are left. */
  get #halves(): number {
    return 2 * (mostUnits - this.#units);
  }

  /** Halves of a read unit that the least rows take. */
  get #least(): number {
    return Math.ceil(leastRows / this.#rowsPerHalf);
  }

  #readEach(range: Pick<ObservedRange, 'first' | 'end'>, limit: number): Promise<readonly Observed[]> {
    const { deliveryPartitions: length } = this.#sampling.endpoint;
    return Promise.all(
      Array.from({ length }, (_, partition) => this.#count({ ...range, partition, newestFirst: true }, limit)),
    );
  }

  async #count(range: ObservedRange, limit: number): Promise<Observed> {
    const { table, endpoint, window } = this.#sampling;
    const observed = await readObserved(table, endpoint, range, limit, window.to);
    this.#units += observed.units;
    return observed;
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
