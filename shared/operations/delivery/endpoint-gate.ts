import type { Endpoint } from '#shared/domain/endpoint.ts';
import { slowAfter } from '#shared/domain/lane.ts';
import { firstWindow, type PostWindow, windowFrom } from '#shared/domain/post-window.ts';
import type { Needs } from '#shared/operations/needs.ts';
import type { After } from '#shared/operations/ports.ts';

/** `full`: no post may begin within the time. `closed`: none may begin in this lane. */
export type Admission = 'admitted' | 'full' | 'closed';

type Settle = (admission: Admission) => void;

/** Admits the posts of this process to one endpoint, as many at once as its window allows, in the order of arrival. */
export class EndpointGate {
  window: PostWindow;
  readonly #after: After;
  #underWay = 0;
  #isClosed = false;
  readonly #waiting = new Set<Settle>();

  constructor(after: After, window = firstWindow) {
    this.#after = after;
    this.window = window;
  }

  /** Milliseconds until the endpoint has answered another post, at its pace. */
  get intervalMs(): number {
    const { lastMs } = this.window;
    return (Number.isFinite(lastMs) ? lastMs : slowAfter) / this.#allowed;
  }

  get isIdle(): boolean {
    return this.#underWay === 0 && this.#waiting.size === 0;
  }

  /** Whether as many posts are under way as the window allows. */
  get isFull(): boolean {
    return !this.#hasRoom();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Asks for admission, and waits for it for at most that many milliseconds. Call `leave` after each one. */
  async enter(milliseconds: number): Promise<Admission> {
    if (this.#isClosed) return 'closed';
    if (this.#waiting.size === 0 && this.window.size > 0 && this.#hasRoom()) {
      this.#underWay += 1;
      return 'admitted';
    }
    if (milliseconds <= 0 || this.window.size === 0) return 'full';
    const { promise, resolve } = Promise.withResolvers<Admission>();
    this.#waiting.add(resolve);
    const stop = this.#after(milliseconds, () => this.#settle(resolve, 'full'));
    return promise.finally(stop);
  }

  leave(): void {
    this.#underWay -= 1;
    // The endpoint gets a pause: the attempts that wait come back later.
    const isOver = this.window.size < 1;
    for (const settle of [...this.#waiting]) {
      if (isOver) this.#settle(settle, 'full');
      else if (this.#hasRoom()) this.#settle(settle, 'admitted');
    }
  }

  /** Nothing is admitted any more. */
  close(): void {
    this.#isClosed = true;
    for (const settle of [...this.#waiting]) this.#settle(settle, 'closed');
  }

  get #allowed(): number {
    return Math.max(1, Math.floor(this.window.size));
  }

  #hasRoom(): boolean {
    return this.#underWay < this.#allowed;
  }

  #settle(settle: Settle, admission: Admission): void {
    if (!this.#waiting.delete(settle)) return;
    if (admission === 'admitted') this.#underWay += 1;
    settle(admission);
  }
}

/** How long a process remembers how a quick endpoint answers, in milliseconds. */
const remembersFor = 60_000;

/** More endpoints than a process attempts at once. */
const maxGates = 1_000;

export type GateDeps = Pick<Needs, 'now' | 'after' | 'lane'>;

/** The gates of the endpoints that this process attempts. Batches that run at the same time share them. */
export class EndpointGates {
  readonly #deps: GateDeps;
  readonly #gates = new Map<string, { readonly gate: EndpointGate; readonly usedAt: number }>();

  constructor(deps: GateDeps) {
    this.#deps = deps;
  }

  /** @param endpoint as it was just read */
  of({ id, slowPace }: Pick<Endpoint, 'id' | 'slowPace'>): EndpointGate {
    const { now, after, lane } = this.#deps;
    const usedAt = now();
    const known = this.#gates.get(id);
    const isOutdated =
      known?.gate.isIdle === true &&
      (lane === 'slow' || known.gate.isClosed || Math.abs(usedAt - known.usedAt) > remembersFor);
    const gate =
      known === undefined || isOutdated
        ? new EndpointGate(after, lane === 'slow' ? windowFrom(slowPace, usedAt) : firstWindow)
        : known.gate;
    this.#gates.delete(id);
    this.#gates.set(id, { gate, usedAt });
    this.#forget();
    return gate;
  }

  /** Forgets the one that was not used for the longest time. */
  #forget(): void {
    if (this.#gates.size <= maxGates) return;
    for (const [id, { gate }] of this.#gates) {
      if (gate.isIdle) return void this.#gates.delete(id);
    }
  }
}
