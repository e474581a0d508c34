import { quickWithin, slowAfter } from './lane.ts';

/**
 * How many posts to one endpoint may be under way at once, as far as one worker knows. It follows the answers, as the
 * congestion window of TCP follows acknowledgements: a receiver that answers one request at a time is not given ten.
 */
export type PostWindow = {
  /** Below 1: one, and then a pause. 0: none. */
  readonly size: number;
  /** The shortest time that an answer took, and the time of the last one, in milliseconds; infinite before the first. */
  readonly fastestMs: number;
  readonly lastMs: number;
};

/** How a slow endpoint answers, as a worker noted it for the others. */
export type SlowPace = {
  /** Of the last answer, or of the silence, in epoch milliseconds. */
  readonly notedAt: number;
  /** Whether it answered. If not, the rest means nothing. */
  readonly isAnswering: boolean;
  readonly window: PostWindow;
};

/** Nothing is known of the endpoint. */
export const firstWindow: PostWindow = {
  size: 1,
  fastestMs: Number.POSITIVE_INFINITY,
  lastMs: Number.POSITIVE_INFINITY,
};

/** An endpoint that answers nothing is not overloaded by more posts, and its attempts have to be on time. */
export const openWindow: PostWindow = { size: Number.POSITIVE_INFINITY, fastestMs: 0, lastMs: 0 };

/** A note that an endpoint answers stands for at least this long against a worker that got no answer. Milliseconds. */
export const answersFor = 60_000;

/**
 * And for this many times its fastest answer, if that is long. About 18 posts of a burst begin before the first answer is
 * noted. A receiver that answers one at a time works on each, although it was given up, and on one more in each turn.
 */
const answersForTimes = 32;

/** An answer takes as long as the fastest one if it takes at most this multiple of it. */
const sameTime = 1.5;

/** An answer that takes longer than this, and over twice as long as the fastest one, waited behind others. Milliseconds. */
const longWait = 5_000;

/**
 * The window with which a worker begins. It posts nothing while the posts of others wait for each other.
 *
 * @param pace that of an endpoint in the slow lane; `null` when none is noted
 * @param now epoch milliseconds
 */
export function windowFrom(pace: SlowPace | null, now: number): PostWindow {
  if (pace === null) return firstWindow;
  if (!pace.isAnswering) return openWindow;
  const { window, notedAt } = pace;
  if (isAlone(window)) return window;
  return { ...window, size: waitsLong(window) && now - notedAt < window.lastMs ? 0 : 1 };
}

/** A window that one worker has found to be this large shows that the endpoint answers several posts at once. */
const severalAtOnce = 4;

/**
 * Milliseconds between the first posts of two workers, or `null` if they need not wait for each other: the endpoint
 * answers several at once, or nothing. Otherwise each adds a post to those that wait, before any of them can know it.
 */
export function turnLasts(pace: SlowPace | null): number | null {
  if (pace === null) return slowAfter;
  const { isAnswering, window } = pace;
  if (!isAnswering || (isAlone(window) && window.size >= severalAtOnce)) return null;
  if (!Number.isFinite(window.fastestMs)) return slowAfter;
  return (isLong(window) && window.size < 1 ? 4 : 2) * window.fastestMs;
}

/** Whether an endpoint that does not answer a worker may still be busy with what it was sent before. */
export function isStillAnswering(pace: SlowPace | null, now: number): boolean {
  if (pace?.isAnswering !== true) return false;
  const { notedAt, window } = pace;
  return now - notedAt < (isLong(window) ? Math.max(answersFor, answersForTimes * window.fastestMs) : answersFor);
}

/**
 * The note of an endpoint that answers, with the smaller window of a worker that got no answer. It keeps the time of the
 * last answer. `null`: it says nothing new.
 */
export function narrowed(pace: SlowPace | null, { size }: PostWindow): SlowPace | null {
  if (pace?.isAnswering !== true || !isLong(pace.window)) return null;
  if (pace.window.size < 1 || pace.window.size <= size) return null;
  return { ...pace, window: { ...pace.window, size } };
}

/** The window with what others noted: an answer of theirs may have been faster. */
export function withNoted(window: PostWindow, pace: SlowPace | null): PostWindow {
  if (pace?.isAnswering !== true) return window;
  return { ...window, fastestMs: Math.min(window.fastestMs, pace.window.fastestMs) };
}

/**
 * The window after an answer. While answers take as long as the fastest one, more posts do no harm, so each answer to a
 * full window admits another one. When they take longer, they wait for each other: the window stays, or is halved long
 * before they take as long as an attempt may.
 *
 * @param tookMs milliseconds for which the receiver kept the attempt waiting
 * @param isFull whether as many posts were under way as the window allows; otherwise the answer does not show that the
 *   endpoint can take more
 */
export function afterAnswer(window: PostWindow, tookMs: number, isFull: boolean): PostWindow {
  const { size, fastestMs: before } = hasAnswered(window) ? window : firstWindow;
  const after = { size, fastestMs: Math.min(before, tookMs), lastMs: tookMs };
  if (isAlone(after)) return { ...after, size: isFull ? Math.max(1, size) + 1 : Math.max(1, size) };
  return waitsLong(after) ? { ...after, size: size / 2 } : after;
}

/**
 * The window after a post whose connection failed or ended. As long as the endpoint has answered nothing, more posts do
 * not overload it, so each quick failure in a full window admits another one, until the first answer. A pause stays one.
 *
 * @param tookMs milliseconds until the failure
 * @param isFull whether as many posts were under way as the window allows
 */
export function afterFailure(window: PostWindow, tookMs: number, isFull: boolean): PostWindow {
  const mayGrow = !hasAnswered(window) && window.size >= 1;
  return mayGrow && isFull && tookMs <= quickWithin ? { ...window, size: window.size + 1 } : window;
}

/**
 * The window after a post that got no answer.
 *
 * @param isAnswering whether the endpoint answers others
 * @param waitedMs milliseconds
 */
export function afterSilence(window: PostWindow, isAnswering: boolean, waitedMs: number): PostWindow {
  return isAnswering ? { ...window, size: window.size / 2, lastMs: waitedMs } : openWindow;
}

function hasAnswered({ size, fastestMs }: PostWindow): boolean {
  return Number.isFinite(size) && Number.isFinite(fastestMs);
}

/** Whether the last answer waited behind no other. */
function isAlone({ fastestMs, lastMs }: PostWindow): boolean {
  return lastMs <= Math.max(quickWithin, sameTime * fastestMs);
}

/** Whether a post that waits behind others may get no answer in time, instead of a late one that tells of them. */
function isLong({ fastestMs }: PostWindow): boolean {
  return Number.isFinite(fastestMs) && 2 * fastestMs > longWait;
}

function waitsLong({ fastestMs, lastMs }: PostWindow): boolean {
  return Number.isFinite(lastMs) && lastMs > Math.max(longWait, 2 * fastestMs);
}
