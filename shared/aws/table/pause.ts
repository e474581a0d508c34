/** Waits before another try of a request: for a random part of the given milliseconds. */
export type Pause = (most: number) => Promise<void>;

/** That of a table which is given no other. */
export const usualPause: Pause = (most) => new Promise((resolve) => setTimeout(resolve, Math.random() * most));
