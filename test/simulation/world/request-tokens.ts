import type { Clock } from '#shared/operations/ports.ts';
import type { Transaction } from '../../support/memory/io.ts';

/** Milliseconds for which the table remembers the token of a transaction that was done. */
const memory = 10 * 60_000;

/** What the table remembers of transactions: one with the token of another that was done is not done again. */
export class RequestTokens {
  readonly #now: Clock;
  readonly #areSent: boolean;
  readonly #doneUntil = new Map<string, number>();
  #calls = 0;

  /** @param areSent whether the client chooses a token for each call that names none */
  constructor(now: Clock, areSent: boolean) {
    this.#now = now;
    this.#areSent = areSent;
  }

  /** The effect of one call, to be served as often as its client repeats it. */
  guard<T>({ token, done }: Transaction<T>, effect: () => T): () => T {
    if (token === undefined && !this.#areSent) return effect;
    this.#calls += 1;
    const name = token ?? `call ${this.#calls}`;
    return () => {
      if ((this.#doneUntil.get(name) ?? 0) > this.#now()) return done;
      const value = effect();
      if (value === done) this.#doneUntil.set(name, this.#now() + memory);
      return value;
    };
  }
}
