import { verifySignature } from '../../local/parties/customer/verify-signature.ts';
import type { PlayedEvent } from './load.ts';
import type { Received } from './parties-messages.ts';

/** What was compared. */
export type Verified = { readonly events: number; readonly signatures: number };

/**
 * Checks that a measurement describes a service that works: each event arrived once, at its own endpoint, and the
 * sampled signatures are valid.
 *
 * @param secrets signing secret of each endpoint
 * @throws Error that counts the faults
 */
export function assertDeliveredOnce(
  events: readonly Omit<PlayedEvent, 'acceptedAt'>[],
  { arrivals, samples }: Received,
  secrets: ReadonlyMap<string, string>,
): Verified {
  const counts = new Map<string, number>();
  for (const { endpoint, runId } of arrivals) {
    const key = keyOf(endpoint, runId);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const timesOf = ({ endpoint, runId }: (typeof events)[number]) => counts.get(keyOf(endpoint, runId)) ?? 0;
  const missing = events.filter((event) => timesOf(event) === 0).length;
  const repeated = events.filter((event) => timesOf(event) > 1).length;
  const wrong = samples.filter(({ endpoint, signature, bodyBase64, arrivedAt }) => {
    const body = Buffer.from(bodyBase64, 'base64');
    return !verifySignature(signature, body, secrets.get(endpoint) ?? '', arrivedAt);
  }).length;
  if (missing + repeated + wrong > 0) {
    throw new Error(
      `Cannot trust the measurement: of ${events.length} events ${missing} did not arrive and ${repeated} arrived ` +
        `more than once, and ${wrong} of ${samples.length} signatures are wrong. Measure on a quiet machine; if the ` +
        'error stays, the log lines above name the fault',
    );
  }
  return { events: events.length, signatures: samples.length };
}

function keyOf(endpoint: string, runId: string): string {
  return `${endpoint} ${runId}`;
}
