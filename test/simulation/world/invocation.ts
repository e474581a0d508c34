import type { After } from '#shared/operations/ports.ts';
import type { Io, Request, Service } from '../../support/table/io.ts';
import { minute } from '../../support/values/builders.ts';
import type { FaultOf, Faults } from './faults.ts';
import type { Random } from './random.ts';
import type { Timeline } from './timeline.ts';

/** What an invocation needs of the world it runs in. */
export type Host = {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly faults: Faults;
  readonly options: {
    readonly trace?: (time: number, line: string) => void;
    readonly requestsOnKept?: number;
    readonly answerAt?: (arrivesAt: number) => number;
  };
  isDown(service: Service): boolean;
  /** Runs an effect on behalf of an invocation. */
  actAs<T>(invocation: Invocation, effect: () => T): T;
};

export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

/** An AWS call that failed for the function that made it; it may have been served nevertheless. */
class ServiceError extends Error {
  override readonly name = 'ServiceError';
}

/** Maximum milliseconds by which a clock is set back while a function runs. */
export const mostSetBack = 2_000;

/**
 * One run of one function, from its start to its end, its timeout or its death. Whatever it awaits, it awaits
 * through `io`. A dead invocation is never continued: its promises stay pending and are forgotten.
 */
export class Invocation {
  readonly id: number;
  readonly name: string;
  readonly startedAt: number;
  readonly #world: Host;
  readonly #endsAt: number;
  readonly #skew: number;
  /** When its clock is set back, and by how many milliseconds. */
  readonly #setBack: { readonly at: number; readonly by: number } | null;
  /** Maximum milliseconds that a response waits for the process. */
  readonly #lag: number;
  #alive = true;
  #died = false;

  /** @param timeout seconds */
  constructor(world: Host, id: number, name: string, timeout: number) {
    this.#world = world;
    this.id = id;
    this.name = name;
    this.startedAt = world.timeline.now;
    this.#endsAt = this.startedAt + timeout * 1000;
    const fault = world.faults.next('invocation');
    this.#skew = skewOf(fault, world.random);
    this.#setBack = fault === 'clock_set_back' ? setBack(world) : null;
    this.#lag = fault === 'starved' ? world.random.between(100, 900) : 0;
    if (fault === 'killed') world.timeline.after(world.random.below(12_000), () => this.crash());
    this.trace('starts', fault);
  }

  readonly now = (): number => this.#world.timeline.now + this.skewAt(this.#world.timeline.now);

  /** Milliseconds by which its clock is ahead of the true time at that time. */
  skewAt(time: number): number {
    const isSetBack = this.#setBack !== null && time >= this.#setBack.at;
    return isSetBack ? this.#skew - this.#setBack.by : this.#skew;
  }

  get largestSkew(): number {
    return Math.max(Math.abs(this.#skew), this.#setBack?.by ?? 0);
  }

  /** True time. */
  readonly monotonic = (): number => this.#world.timeline.now;

  get alive(): boolean {
    if (this.#alive && this.#world.timeline.now >= this.#endsAt) this.crash();
    return this.#alive;
  }

  /** Whether it was killed or timed out, instead of ending by itself. */
  get died(): boolean {
    return this.#died || (this.#alive && !this.alive);
  }

  /** True milliseconds until its timeout. */
  readonly timeLeft = (): number => this.#endsAt - this.#world.timeline.now;

  readonly wait = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      this.#world.timeline.after(milliseconds, () => {
        if (this.alive) resolve();
      });
    });

  readonly after: After = (milliseconds, run) => {
    let isSet = true;
    this.#world.timeline.after(milliseconds, () => {
      if (isSet && this.alive) run();
    });
    return () => {
      isSet = false;
    };
  };

  crash(): void {
    if (this.#alive) {
      this.trace('dies');
      this.#died = true;
    }
    this.#alive = false;
  }

  /** Runs `work` to its end; an invocation that dies first reports nothing. */
  run<T>(work: () => Promise<T>, whenDone: (outcome: Outcome<T>) => void): void {
    const end = (outcome: Outcome<T>): void => {
      if (!this.alive) return;
      this.trace('ends');
      this.#alive = false;
      whenDone(outcome);
    };
    work().then(
      (value) => end({ ok: true, value }),
      (error: unknown) => end({ ok: false, error }),
    );
  }

  readonly io: Io = (request, effect) =>
    new Promise((resolve, reject) => {
      if (!this.alive) return;
      const { timeline, random, faults } = this.#world;
      const fault = faults.next('request');
      this.trace(request.name, fault);
      if (fault === 'crash_before') {
        this.crash();
        return;
      }
      const travel = fault === 'slow' ? random.between(1_000, 15_000) : latency(random);
      timeline.after(travel, () => this.#arrive({ request, effect, fault, resolve, reject }));
    });

  #arrive<T>(call: Call<T>): void {
    const { timeline, random } = this.#world;
    // A request that was sent before the function died may still be served.
    if (!this.alive && random.oneIn(2)) return;
    if (call.fault === 'throttled' || this.#world.isDown(call.request.service)) {
      this.#refuse(call, 'throttled');
    } else if (call.fault === 'served_late') {
      timeline.after(random.between(100, minute), () => this.#serveUnheard(call));
      this.#refuse(call, 'timed out');
    } else {
      this.#serveAndAnswer(call);
    }
  }

  #serveAndAnswer<T>(call: Call<T>): void {
    try {
      const value = this.#serve(call);
      if (call.fault === 'crash_after') this.crash();
      else if (call.fault === 'answer_lost') this.#refuse(call, 'connection lost');
      else this.#answer(() => call.resolve(value));
    } catch (error) {
      this.#answer(() => call.reject(error));
    }
  }

  /** The caller has an error already, so a refusal reaches nobody. */
  #serveUnheard<T>(call: Call<T>): void {
    try {
      this.#serve(call);
    } catch (error) {
      this.trace(`${call.request.name} was refused: ${String(error)}`);
    }
  }

  #serve<T>({ effect, fault }: Call<T>): T {
    const { random } = this.#world;
    const staleness = fault === 'stale' ? random.below(minute) : random.below(200);
    const serve = (): T => this.#world.actAs(this, () => effect(staleness));
    const value = serve();
    return fault === 'repeated' ? serve() : value;
  }

  #refuse<T>(call: Call<T>, why: string): void {
    this.#answer(() => call.reject(new ServiceError(`${call.request.name}: ${why}`)));
  }

  /** Half of the responses arrive before the next event. */
  #answer(deliver: () => void): void {
    const { timeline, random } = this.#world;
    const arrive = (): void => {
      if (this.alive) deliver();
    };
    if (this.#lag > 0) timeline.after(random.below(this.#lag), arrive);
    else if (random.oneIn(2)) arrive();
    else timeline.after(latency(random), arrive);
  }

  trace(what: string, fault: string | null = null): void {
    const { options, timeline } = this.#world;
    options.trace?.(timeline.now, `${this.name} ${this.id}: ${what}${fault === null ? '' : `, ${fault}`}`);
  }
}

type Call<T> = {
  readonly request: Request;
  readonly effect: (staleness: number) => T;
  readonly fault: FaultOf<'request'> | null;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
};

/** Mostly short; the long ones cause races. */
function latency(random: Random): number {
  return random.oneIn(6) ? random.between(20, 400) : random.between(1, 20);
}

function setBack({ timeline, random }: Host) {
  return { at: timeline.now + random.between(20, 300), by: random.between(500, mostSetBack) };
}

function skewOf(fault: FaultOf<'invocation'> | null, random: Random): number {
  if (fault === 'clock_ahead') return random.between(1_000, 5 * minute);
  if (fault === 'clock_behind') return -random.between(1_000, 5 * minute);
  return 0;
}
