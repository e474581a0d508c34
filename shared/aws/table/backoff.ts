/** Waits between the tries of a write, in milliseconds, and the randomness of their length (from 0 to 1). */
export type Backoff = { readonly wait: (ms: number) => Promise<void>; readonly random: () => number };
