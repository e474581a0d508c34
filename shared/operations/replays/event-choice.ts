import { isReplayBy, type ReplayableStatus } from '#shared/domain/bulk-replay.ts';
import { chunks } from '#shared/domain/chunks.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { inGroups } from '#shared/domain/in-groups.ts';
import type { Candidate, EventChooser, ListEventReplays, ReadReplayStates, ReplayState } from './ports.ts';

export type ChoiceDeps = {
  readonly readReplayStates: ReadReplayStates;
  readonly listEventReplays: ListEventReplays;
};

/** What one more read costs, in deliveries that a query reads for the same price: half a read unit, and a whole one. */
const readsOf = { state: 4, list: 8 } as const;

/** Replays that are read with one request. */
const statesAtOnce = 100;

type Event = { readonly id: string; readonly rows: readonly Candidate[] };

/**
 * Chooses the deliveries of which a job, or its plan, sends the event: at most one of each event, the oldest, and none of
 * an event that has a replay which was delivered or is pending, or that this job has sent. An event that was never
 * replayed costs no read.
 *
 * @param status of the deliveries that are chosen from
 * @param jobId `null` for a plan
 */
export class EventChoice implements EventChooser {
  reads = 0;
  readonly #deps: ChoiceDeps;
  readonly #endpoint: Pick<Endpoint, 'customerId' | 'id'>;
  readonly #status: ReplayableStatus;
  readonly #jobId: string | null;
  /** Events that were chosen, and are not chosen again. */
  readonly #taken = new Set<string>();

  constructor(
    deps: ChoiceDeps,
    endpoint: Pick<Endpoint, 'customerId' | 'id'>,
    status: ReplayableStatus,
    jobId: string | null,
  ) {
    this.#deps = deps;
    this.#endpoint = endpoint;
    this.#status = status;
    this.#jobId = jobId;
  }

  /** @returns the ids of the chosen deliveries. Those that the job itself has replayed are among them. */
  async choose(candidates: readonly Candidate[]): Promise<ReadonlySet<string>> {
    const chosen = new Set<string>();
    const replayed: Candidate[] = [];
    for (const candidate of candidates) {
      const { id, replayOf, replayedBy, eventId } = candidate;
      const isOwn = replayedBy !== null && this.#isOwn(id, replayedBy);
      if (isOwn) this.#taken.add(eventId);
      if (isOwn || (replayOf === null && replayedBy === null)) chosen.add(id);
      else replayed.push(candidate);
    }
    for (const { id, rows } of await this.#unsent(this.#undecided(replayed))) {
      this.#taken.add(id);
      for (const first of rows.slice(0, 1)) chosen.add(first.id);
    }
    return chosen;
  }

  #isOwn(originalId: string, replayId: string): boolean {
    return this.#jobId !== null && isReplayBy(this.#jobId, originalId, replayId);
  }

  /** Where deliveries are chosen that were delivered, a replay among them settles its event. */
  #undecided(candidates: readonly Candidate[]): readonly Event[] {
    const events = new Map<string, Candidate[]>();
    for (const candidate of candidates) {
      if (this.#taken.has(candidate.eventId)) continue;
      const rows = events.get(candidate.eventId);
      if (rows === undefined) events.set(candidate.eventId, [candidate]);
      else rows.push(candidate);
    }
    return [...events]
      .map(([id, rows]) => ({ id, rows }))
      .filter(({ rows }) => this.#status === 'failed' || rows.every(({ replayOf }) => replayOf === null));
  }

  /** First looks at the newest replays, which mostly decide, and then at all others. */
  async #unsent(events: readonly Event[]): Promise<readonly Event[]> {
    const known = new Map<string, ReplayState>(
      events.flatMap(({ rows }) => rows.map((row) => [row.id, { ...row, status: this.#status }] as const)),
    );
    const marksOf = ({ rows }: Event) => rows.flatMap(({ replayedBy }) => replayedBy ?? []);
    await this.#read(events.flatMap(marksOf), known);
    const isUnsent = (ids: readonly string[]) => ids.every((id) => !this.#settles(known.get(id)));
    const open = events.filter((event) => isUnsent(marksOf(event)));
    const lists = await inGroups(open, ({ id }) => this.#deps.listEventReplays(this.#endpoint, id));
    this.reads += open.length * readsOf.list;
    await this.#read(lists.flat(), known);
    return open.filter((_, index) => isUnsent(lists[index] ?? []));
  }

  #settles(replay: ReplayState | undefined): boolean {
    if (replay === undefined) return false;
    const isOwn = replay.replayOf !== null && this.#isOwn(replay.replayOf, replay.id);
    return isOwn || replay.status !== 'failed';
  }

  async #read(ids: readonly string[], known: Map<string, ReplayState>): Promise<void> {
    const unknown = [...new Set(ids)].filter((id) => !known.has(id));
    this.reads += unknown.length * readsOf.state;
    for (const some of chunks(unknown, statesAtOnce))
      for (const state of await this.#deps.readReplayStates(this.#endpoint, some)) known.set(state.id, state);
  }
}
