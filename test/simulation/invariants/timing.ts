import { slowLane } from '../../../lib/functions/queue-functions.ts';
import { minute } from '../../support/values/builders.ts';
import type { Claim } from '../world/journal.ts';
import type { Promises } from './promises.ts';
import type { Seen } from './seen.ts';

/** Milliseconds after attempt 1 and 2 before which the next one does not begin: a tenth less than planned. */
const waits = [9 * minute, 45 * minute] as const;

/** A message may wait for the batch of the slow lane, and messages and functions take a moment. */
const received = slowLane.batchWindow * 1000 + 5_000;

/** A timer fires within the minute after its time. */
const promptly = minute + received;

function* retries({ claims, released }: Seen['journal']): Iterable<readonly [Claim, Claim]> {
  const last = new Map<string, Claim>();
  const givenBack = new Set(released.map(({ delivery }) => delivery.claim?.fencingToken));
  for (const claim of claims) {
    if (givenBack.has(claim.delivery.claim?.fencingToken)) continue;
    const before = last.get(claim.delivery.id);
    if (before !== undefined) yield [before, claim];
    last.set(claim.delivery.id, claim);
  }
}

/** Milliseconds that the attempts of a function at one endpoint took together, which it had recorded by that time. */
function attemptsOf(
  { recorded }: Seen['journal'],
  invocation: Claim['invocation'],
  webhookId: string,
  at: number,
): number {
  return recorded
    .filter((each) => each.invocation === invocation && each.at <= at && each.after.webhookId === webhookId)
    .reduce((sum, { after }) => sum + (after.log.at(-1)?.durationMs ?? 0), 0);
}

export const timingPromises = {
  /** By the true time; wrong clocks may bring a retry forward by their error. */
  *noRetryComesEarly({ journal }) {
    for (const [before, next] of retries(journal)) {
      const least = (waits[before.delivery.attempts - 1] ?? 0) - 2 * journal.largestSkew;
      if (next.at - before.at < least)
        yield `${next.delivery.id}: attempt ${next.delivery.attempts} came ${next.at - before.at} ms after the last`;
    }
  },

  /** Or as much later as they are put off and wait for other attempts of their function, which a busy endpoint needs. */
  *retriesAreOnTimeWhenNothingFails({ journal, isClean }) {
    if (!isClean) return;
    for (const [before, next] of retries(journal)) {
      const { id, webhookId, retryAt } = next.delivery;
      const behind = ({ invocation, at }: Pick<Claim, 'invocation' | 'at'>) =>
        attemptsOf(journal, invocation, webhookId, at);
      const putOff = journal.returned.filter(({ body }) => body.includes(id));
      const latest = putOff.reduce(
        (time, each) => time + each.milliseconds + received + behind(each),
        promptly + behind(next),
      );
      const due = retryAt ?? 0;
      if (next.at > due + latest) yield `${before.delivery.id} was due at ${due} and taken at ${next.at}`;
    }
  },

  *noAttemptIsInterruptedWhenNothingFails({ deliveries, isClean }) {
    if (!isClean) return;
    for (const { id, log } of deliveries)
      if (log.some(({ outcome }) => outcome === 'interrupted')) yield `${id} was interrupted`;
  },
} satisfies Promises<Seen>;
