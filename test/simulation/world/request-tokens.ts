import type { Clock } from '#shared/operations/ports.ts';
import type { Transaction } from '../../support/memory/io.ts';

/** Milliseconds for which the table remembers the token of a transaction that was done. */
const memory = 10 * 60_000;

/**
 * What the table remembers of transactions: one with the token of another that was done is not done again.
 *
 * @param areSent whether the client chooses a token for each call that names none
 * @returns makes of the effect of one call what is served as often as its client repeats it
 */
export function requestTokens(now: Clock, areSent: boolean) {
  const remembered = new Map<string, { readonly until: number; readonly content: string }>();
  let calls = 0;
  return <T>({ token, done, content = '', differs = done }: Transaction<T>, effect: () => T): (() => T) => {
    if (token === undefined && !areSent) return effect;
    calls += 1;
    const name = token ?? `call ${calls}`;
    return () => {
      const earlier = remembered.get(name);
      if (earlier !== undefined && earlier.until > now()) return earlier.content === content ? done : differs;
      const value = effect();
      if (value === done) remembered.set(name, { until: now() + memory, content });
      return value;
    };
  };
}
