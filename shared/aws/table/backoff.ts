/**
 * Pauses between the tries of a write: `wait` takes milliseconds, `random` returns a number from 0 to 1 that scales
 * them.
 */
export type Backoff = { readonly wait: (ms: number) => Promise<void>; readonly random: () => number };
