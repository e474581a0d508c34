import type { Attempt, DeliveryDetail } from '../../api/records.ts';
import { maxAttempts } from '../../api/service-facts.ts';
import { isHandshake } from './delivery-facts.ts';

/** The phases of an attempt, in order, with their members of the record. */
const phases = [
  ['dns', 'dns_ms'],
  ['connect', 'connect_ms'],
  ['tls', 'tls_ms'],
  ['wait', 'first_byte_ms'],
] as const;

/** `rest` when the record does not tell which phase took the time. */
type Part = (typeof phases)[number][0] | 'rest';

export const phaseNames: Readonly<Record<Part, string>> = {
  dns: 'DNS',
  connect: 'Connect',
  tls: 'TLS',
  wait: 'Waiting for the response',
  rest: 'Not finished',
};

/** A part of the bar of an attempt, in milliseconds from its start. */
export type Segment = { readonly phase: Part; readonly from: number; readonly duration: number };

/** One line of the picture. */
export type Row =
  | {
      readonly kind: 'made';
      readonly number: number;
      readonly attempt: Attempt;
      readonly segments: readonly Segment[];
      /** Its error; `null` when there is none, or when the summary or the attempt before says the same. */
      readonly error: string | null;
    }
  | { readonly kind: 'next'; readonly number: number; readonly planned: string }
  | { readonly kind: 'running'; readonly number: number }
  /** Attempts that did not have to be made, by their numbers. */
  | { readonly kind: 'not-needed'; readonly number: number; readonly last: number };

/** The attempts of a delivery, with those that did not happen. */
export function timelineOf(delivery: DeliveryDetail): readonly Row[] {
  const { attempt_log: log, status, next_attempt_at: next } = delivery;
  const made = log.map((attempt, index): Row => {
    const before = log[index - 1];
    const isSaid = attempt.error === delivery.error || attempt.error === before?.error;
    const error = isSaid ? null : attempt.error;
    return { kind: 'made', number: index + 1, attempt, segments: segmentsOf(attempt), error };
  });
  const number = log.length + 1;
  if (status === 'pending' && number <= maxAttempts) {
    return [...made, next === null ? { kind: 'running', number } : { kind: 'next', number, planned: next }];
  }
  // The handshake has one attempt only.
  if (status !== 'delivered' || isHandshake(delivery) || number > maxAttempts) return made;
  return [...made, { kind: 'not-needed', number, last: maxAttempts }];
}

/**
 * Time that no phase accounts for belongs to the phase in which the attempt ended: its limit ran out, or its
 * connection was lost. A rest below a millisecond for each phase is rounding.
 */
function segmentsOf({ timings, outcome, duration_ms: total }: Attempt): readonly Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  for (const [phase, member] of phases) {
    const duration = timings[member];
    if (duration === null) continue;
    segments.push({ phase, from, duration });
    from += duration;
  }
  const rest = total - from;
  const last = segments.at(-1);
  if (last?.phase === 'wait') {
    if (rest > 0) segments.splice(-1, 1, { ...last, duration: last.duration + rest });
  } else if (rest > phases.length || segments.length === 0) {
    segments.push({ phase: unfinished(outcome, last?.phase), from, duration: Math.max(0, rest) });
  }
  return segments;
}

/** A reused connection has neither a connect nor a TLS phase, so what follows DNS is known by the outcome only. */
function unfinished(outcome: Attempt['outcome'], done: Part | undefined): Part {
  if (outcome === 'dns_failed') return 'dns';
  if (outcome === 'tls_failed' || done === 'connect') return 'tls';
  if (done === 'tls') return 'wait';
  return outcome === 'connection_failed' ? 'connect' : 'rest';
}

const outcomeNames: Readonly<Record<Attempt['outcome'], string>> = {
  acknowledged: 'Acknowledged',
  rejected: 'Rejected',
  timed_out: 'Timed out',
  address_refused: 'Address refused',
  dns_failed: 'DNS failed',
  connection_failed: 'Connection failed',
  tls_failed: 'TLS failed',
  invalid_response: 'Invalid response',
  interrupted: 'Interrupted',
};

/** `Rejected with 500` */
export function outcomeText({
  outcome,
  response_status: status,
}: Pick<Attempt, 'outcome' | 'response_status'>): string {
  const name = outcomeNames[outcome] ?? outcome;
  return status === null ? name : `${name} with ${status}`;
}

/** `1.2 s`, `86 ms`. */
export function durationText(milliseconds: number): string {
  return milliseconds < 1_000
    ? `${Math.round(milliseconds)} ms`
    : `${(milliseconds / 1_000).toFixed(milliseconds < 9_950 ? 1 : 0)} s`;
}

/** What happened to a delivery, in one sentence. */
export function verdictOf(delivery: DeliveryDetail): string {
  const { status, attempt_log: log } = delivery;
  const last = log.at(-1);
  switch (status) {
    case 'delivered':
      return last === undefined ? 'Your receiver acknowledged it' : acknowledgedBy(last, log.length);
    case 'pending':
      if (last === undefined) return 'The first attempt is about to be made';
      return `${failedAttempts(log.length)}, ${maxAttempts - log.length} left`;
    case 'failed':
      if (last === undefined) return 'It ended before the first attempt, so nothing was sent';
      return `${failedAttempts(log.length)}. No further attempts`;
    default:
      return '';
  }
}

function acknowledgedBy({ response_status: status, duration_ms: duration }: Attempt, count: number): string {
  const answer = status === null ? '' : ` with ${status}`;
  const attempt = count === 1 ? 'the first attempt' : `attempt ${count}`;
  return `Your receiver acknowledged ${attempt}${answer} after ${durationText(duration)}`;
}

function failedAttempts(count: number): string {
  if (count === 1) return '1 attempt failed';
  return count === maxAttempts ? `All ${count} attempts failed` : `${count} attempts failed`;
}
