/** Requests per minute that the service admits for one credential. */
export const admittedPerMinute = 60;
/** A little over a minute, to allow for clock differences between the service and the suite. */
const windowMs = 60_500;

export type Pace = {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Called when all keys are used up, with the time to wait. */
  readonly onWait: (reason: string, ms: number) => void;
};

type Usage = { readonly key: string; inFlight: number; finished: number[] };

/** A key for one request; call `done` when its response has arrived. */
export type Lease = { readonly key: string; readonly done: () => void };

/** Spreads requests over the keys of one customer so that no key reaches its request limit. */
export class KeyRing {
  readonly #pace: Pace;
  readonly #usages: readonly Usage[];
  #taken = 0;

  constructor(keys: readonly string[], pace: Pace) {
    this.#pace = pace;
    this.#usages = keys.map((key) => ({ key, inFlight: 0, finished: [] }));
  }

  /** Number of requests sent with these keys. */
  get taken(): number {
    return this.#taken;
  }

  async take(): Promise<Lease> {
    let reported = false;
    for (;;) {
      const best = this.#leastUsed();
      if (best !== undefined && used(best) < admittedPerMinute) return this.#lease(best);
      const ms = this.#untilNext();
      if (!reported)
        this.#pace.onWait(`all ${this.#usages.length} keys have used up their requests per minute`, ms);
      reported = true;
      await this.#pace.sleep(Math.min(ms, 1_000));
    }
  }

  #lease(usage: Usage): Lease {
    usage.inFlight += 1;
    this.#taken += 1;
    const done = () => {
      usage.inFlight -= 1;
      usage.finished.push(this.#pace.now());
    };
    return { key: usage.key, done };
  }

  #leastUsed(): Usage | undefined {
    const since = this.#pace.now() - windowMs;
    for (const usage of this.#usages) usage.finished = usage.finished.filter((time) => time > since);
    return this.#usages.toSorted((one, other) => used(one) - used(other)).at(0);
  }

  #untilNext(): number {
    const oldest = this.#usages.flatMap((usage) => usage.finished.slice(0, 1));
    if (oldest.length === 0) return 100;
    return Math.max(50, Math.min(...oldest) + windowMs - this.#pace.now());
  }
}

function used({ inFlight, finished }: Usage): number {
  return inFlight + finished.length;
}
