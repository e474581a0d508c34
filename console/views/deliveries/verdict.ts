import type { Attempt, DeliveryDetail } from '../../api/records.ts';
import { maxAttempts } from '../../api/service-facts.ts';
import { durationText } from './timeline.ts';

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
