import { type RecordedAttempt, recordAttempt } from '#shared/aws/table/deliveries/attempts.ts';
import type { Delivery, DeliveryKey, DueAttempt } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { laneOf } from '#shared/domain/lane.ts';
import { timeToClaim } from '#shared/domain/retry-plan.ts';
import type { Needs } from '#shared/operations/needs.ts';
import type { Later, MessageResult, Report, TimeLeft } from '#shared/operations/ports.ts';
import { type AnnounceDeps, announceChanges } from './announce-changes.ts';
import type { EndpointGate, EndpointGates } from './endpoint-gate.ts';
import { cancelAttempt, type MakeDeps, makeAttempt } from './make-attempt.ts';
import { noteAttempts } from './note-last-delivery.ts';
import { openSecrets, readReceiver, SharedReceiver } from './receiver.ts';
import { ReplayEnds } from './replay-ends.ts';
import { type HealthDeps, HealthWatch } from './watch-health.ts';
import { mayBegin, type PaceDeps, watchPace } from './watch-pace.ts';

export type AttemptDeps = MakeDeps &
  HealthDeps &
  AnnounceDeps &
  PaceDeps &
  Pick<Needs, 'decryptSecret' | 'enqueueAttempts'>;

/** `gates` are those of the process; `tell` reports the result of an attempt. */
type Batch = { readonly gates: EndpointGates; readonly tell: Report; readonly timeLeft: TimeLeft };

export type EndpointKey = Pick<DeliveryKey, 'customerId' | 'webhookId'>;

export type AttemptedMessage = readonly [DueAttempt, MessageResult | Later];

export type AttemptedEndpoint = {
  readonly results: readonly AttemptedMessage[];
  /** Resolves when the responses of its attempts have ended. The process must not be frozen before. */
  readonly ended: Promise<void>;
};

/**
 * Makes the due attempts at one endpoint after one read of it, as many at once as it answers, or passes them on to the
 * slow lane. A failure of this service returns the message of its attempt to the queue and affects no other attempt.
 */
export async function attemptEndpoint(
  deps: AttemptDeps,
  batch: Batch,
  endpoint: EndpointKey,
  attempts: readonly DueAttempt[],
): Promise<AttemptedEndpoint> {
  try {
    const open = openSecrets(deps);
    const read = await readReceiver(deps, open, endpoint.customerId, endpoint.webhookId);
    if (read === null) {
      const ends = new ReplayEnds();
      const finishing = { lane: deps.lane, record: recordAnd(deps, ends) };
      const cancelled = await each(deps, attempts, (due) => cancelAttempt(deps, due, ends, finishing));
      return hasEnded(await counted(deps, ends, cancelled));
    }
    const receiver = new SharedReceiver(deps, open, read);
    if (laneOf(receiver.endpoint) === 'slow' && deps.lane !== 'slow') {
      return hasEnded(await passOn(deps, attempts));
    }
    if (!(await mayBegin(deps, receiver.endpoint))) {
      return hasEnded(putOff(deps, receiver.endpoint, attempts, batch.gates.of(receiver.endpoint)));
    }
    return await visit(deps, batch, receiver, attempts);
  } catch (cause) {
    return hasEnded(attempts.map((due) => failed(deps, due, cause)));
  }
}

const hasEnded = (results: readonly AttemptedMessage[]): AttemptedEndpoint => ({
  results,
  ended: Promise.resolve(),
});

async function visit(
  deps: AttemptDeps,
  { gates, tell, timeLeft }: Batch,
  receiver: SharedReceiver,
  attempts: readonly DueAttempt[],
): Promise<AttemptedEndpoint> {
  const gate = gates.of(receiver.endpoint);
  const pace = watchPace(deps, receiver, gate);
  const health = new HealthWatch(deps, receiver);
  const ends = new ReplayEnds();
  const store = recordAnd(deps, ends);
  const record = async (attempt: RecordedAttempt<Delivery>) => {
    await health.noteAttempt(attempt);
    return await store(attempt);
  };
  const sending = { post: pace.postEvent, record, tell };
  const found = { receiver, pace, health, note: noteAttempts(deps), ends, sending };
  const admitted: (Promise<readonly AttemptedMessage[]> | readonly AttemptedMessage[])[] = [];
  for (const [index, due] of attempts.entries()) {
    const admission = await gate.enter(timeLeft() - timeToClaim);
    if (admission === 'admitted') {
      const made = each(deps, [due], () => makeAttempt(deps, due, found, timeLeft));
      admitted.push(made.finally(() => gate.leave()));
    } else {
      const rest = attempts.slice(index);
      admitted.push(admission === 'closed' ? passOn(deps, rest) : putOff(deps, receiver.endpoint, rest, gate));
      break;
    }
  }
  const results = await counted(deps, ends, (await Promise.all(admitted)).flat());
  const ids = attempts.map(({ key }) => key.id);
  const isAnnounced = await announceChanges(deps, receiver.endpoint, ids, health.change);
  return {
    results: isAnnounced ? results : attempts.map((due) => [due, 'retry']),
    ended: pace.settle(),
  };
}

/** Records an attempt, and notes the end of its delivery. */
function recordAnd({ table }: AttemptDeps, ends: ReplayEnds) {
  return async (attempt: RecordedAttempt<Delivery>): Promise<boolean> => {
    const isRecorded = await recordAttempt(table, attempt);
    if (isRecorded) ends.note(attempt.key, attempt.transition.status);
    return isRecorded;
  };
}

/** A message whose end could not be counted returns. */
async function counted(
  deps: AttemptDeps,
  ends: ReplayEnds,
  results: readonly AttemptedMessage[],
): Promise<readonly AttemptedMessage[]> {
  const uncounted = await ends.count(deps);
  return results.map(([due, result]) => [due, uncounted.has(due.key.id) ? 'retry' : result]);
}

function each(
  deps: AttemptDeps,
  attempts: readonly DueAttempt[],
  run: (due: DueAttempt) => Promise<MessageResult>,
): Promise<readonly AttemptedMessage[]> {
  return Promise.all(
    attempts.map(async (due): Promise<AttemptedMessage> => {
      try {
        return [due, await run(due)];
      } catch (cause) {
        return failed(deps, due, cause);
      }
    }),
  );
}

function failed(deps: AttemptDeps, due: DueAttempt, cause: unknown): AttemptedMessage {
  deps.report({ name: 'step.failed', step: 'deliver', delivery: due.key, cause });
  return [due, 'retry'];
}

/** Nothing is claimed: the slow lane makes the attempts. A message is done only when its copy is on the other queue. */
async function passOn(deps: AttemptDeps, attempts: readonly DueAttempt[]): Promise<readonly AttemptedMessage[]> {
  try {
    const refused = new Set(await deps.enqueueAttempts(attempts, 'slow'));
    return attempts.map((due) => [due, refused.has(due) ? 'retry' : 'done']);
  } catch (cause) {
    return attempts.map((due) => failed(deps, due, cause));
  }
}

/** Nothing is claimed: each comes back about when the endpoint has answered those before it. */
function putOff(
  { randomBytes, report }: AttemptDeps,
  { customerId, id }: Endpoint,
  attempts: readonly DueAttempt[],
  { intervalMs }: EndpointGate,
): readonly AttemptedMessage[] {
  const random = randomBytes(attempts.length);
  report({ name: 'attempts.put_off', endpoint: { customerId, id }, attempts: attempts.length });
  // The functions that attempt the same endpoint must not come back together.
  return attempts.map((due, index) => {
    const spread = 0.5 + (random[index] ?? 0) / 256;
    return [due, { laterSeconds: ((index + 1) * intervalMs) / 1000, spread }];
  });
}
