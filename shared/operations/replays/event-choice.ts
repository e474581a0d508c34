import type { Table } from '#shared/aws/clients.ts';
import { hasFirstDelivery } from '#shared/aws/table/deliveries/event-deliveries.ts';
import { listEventReplays, type ReplayState, readReplayStates } from '#shared/aws/table/replays/event-replays.ts';
import { type Candidate, type EventChooser, isReplayBy, type ReplayableStatus } from '#shared/domain/bulk-replay.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { idTime } from '#shared/domain/ids.ts';
import { inGroups } from '#shared/domain/in-groups.ts';

/** What one more read costs, in deliveries that a query reads for the same price: half a read unit, and a whole one. */
const readsOf = { state: 4, list: 8 } as const;

/** Replays that are read with one request. */
const statesAtOnce = 100;

/** Milliseconds by which the clocks of two functions may differ. */
const clockMargin = 5 * 60_000;

type Event = { readonly id: string; readonly rows: readonly Candidate[] };

/** What is chosen for. */
type Choosing = {
  /** Where the events are sent. */
  readonly endpoint: Endpoint;
  /** Whose deliveries are chosen from: the same endpoint, or another one. */
  readonly source: Pick<Endpoint, 'id'>;
  /** Of the deliveries that are chosen from. */
  readonly status: ReplayableStatus;
  /** `null` for a plan. */
  readonly jobId: string | null;
};

/**
 * Chooses the deliveries of which a job, or its plan, sends the event: at most one of each event, the oldest, and none of
 * an event that has a replay to the endpoint which was delivered or is pending, or that this job has sent. An event of the
 * endpoint itself that was never replayed costs no read.
 *
 * Deliveries of another endpoint do not show what this one was sent, so each of their events is looked up. One that was
 * sent to this endpoint itself is left out: its own delivery can be replayed.
 */
export class EventChoice implements EventChooser {
  reads = 0;
  /** Whether each event costs reads. */
  readonly isCostly: boolean;
  readonly #table: Table;
  readonly #choosing: Choosing;
  /** Events that were chosen, and are not chosen again. */
  readonly #taken = new Set<string>();

  constructor(table: Table, choosing: Choosing) {
    this.#table = table;
    this.#choosing = choosing;
    this.isCostly = choosing.source.id !== choosing.endpoint.id;
  }

  /** @returns the ids of the chosen deliveries. Those that the job itself has replayed are among them. */
  async choose(candidates: readonly Candidate[]): Promise<ReadonlySet<string>> {
    const chosen = new Set<string>();
    const open: Candidate[] = [];
    for (const candidate of candidates) {
      const { id, replayOf, replayedBy, eventId } = candidate;
      const isOwn = replayedBy !== null && this.#isOwn(id, replayedBy);
      if (isOwn) this.#taken.add(eventId);
      const isFresh = !this.isCostly && replayOf === null && replayedBy === null;
      if (isOwn || isFresh) chosen.add(id);
      else open.push(candidate);
    }
    for (const { id, rows } of await this.#unsent(this.#undecided(open))) {
      this.#taken.add(id);
      for (const first of rows.slice(0, 1)) chosen.add(first.id);
    }
    return chosen;
  }

  #isOwn(originalId: string, replayId: string): boolean {
    const { jobId } = this.#choosing;
    return jobId !== null && isReplayBy(jobId, originalId, replayId);
  }

  /** Where deliveries to the endpoint are chosen that were delivered, a replay among them settles its event. */
  #undecided(candidates: readonly Candidate[]): readonly Event[] {
    const events = new Map<string, Candidate[]>();
    for (const candidate of candidates) {
      if (this.#taken.has(candidate.eventId)) continue;
      const rows = events.get(candidate.eventId);
      if (rows === undefined) events.set(candidate.eventId, [candidate]);
      else rows.push(candidate);
    }
    const isOpen = ({ rows }: Event) =>
      this.isCostly || this.#choosing.status === 'failed' || rows.every(({ replayOf }) => replayOf === null);
    return [...events].map(([id, rows]) => ({ id, rows })).filter(isOpen);
  }

  /** First looks at the newest replays, which mostly decide, and then at all others. */
  async #unsent(events: readonly Event[]): Promise<readonly Event[]> {
    const { endpoint, status } = this.#choosing;
    const rowsOf = ({ rows }: Event) => (this.isCostly ? [] : rows);
    const known = new Map<string, ReplayState>(
      events.flatMap(rowsOf).map((row) => [row.id, { ...row, status }] as const),
    );
    const marksOf = (event: Event) => rowsOf(event).flatMap(({ replayedBy }) => replayedBy ?? []);
    await this.#read(events.flatMap(marksOf), known);
    const isUnsent = (ids: readonly string[]) => ids.every((id) => !this.#settles(known.get(id)));
    const open = await this.#notSentItself(events.filter((event) => isUnsent(marksOf(event))));
    const lists = await inGroups(open, ({ id }) => listEventReplays(this.#table, endpoint, id));
    this.reads += open.length * readsOf.list;
    await this.#read(lists.flat(), known);
    return open.filter((_, index) => isUnsent(lists[index] ?? []));
  }

  /** An endpoint was sent no event from before it existed. */
  async #notSentItself(events: readonly Event[]): Promise<readonly Event[]> {
    if (!this.isCostly) return events;
    const { endpoint } = this.#choosing;
    const since = endpoint.createdAt - clockMargin;
    const recent = events.filter(({ id }) => idTime(id) >= since);
    const answers = await inGroups(recent, ({ id }) => hasFirstDelivery(this.#table, endpoint, id));
    this.reads += recent.length * readsOf.list;
    const sent = new Set(recent.filter((_, index) => answers[index]).map(({ id }) => id));
    return events.filter(({ id }) => !sent.has(id));
  }

  #settles(replay: ReplayState | undefined): boolean {
    if (replay === undefined) return false;
    const isOwn = replay.replayOf !== null && this.#isOwn(replay.replayOf, replay.id);
    return isOwn || replay.status !== 'failed';
  }

  async #read(ids: readonly string[], known: Map<string, ReplayState>): Promise<void> {
    const { endpoint } = this.#choosing;
    const unknown = [...new Set(ids)].filter((id) => !known.has(id));
    this.reads += unknown.length * readsOf.state;
    for (const some of chunks(unknown, statesAtOnce))
      for (const state of await readReplayStates(this.#table, endpoint, some)) known.set(state.id, state);
  }
}
