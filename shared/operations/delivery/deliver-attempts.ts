import type { DueAttempt } from '#shared/domain/delivery.ts';
import type { Later, MessageResult, Report, TimeLeft } from '#shared/operations/ports.ts';
import type { RecordedOutcome } from '#shared/operations/telemetry-event.ts';
import { type AttemptDeps, attemptEndpoint, type EndpointKey } from './attempt-endpoint.ts';
import { EndpointGates, type GateDeps } from './endpoint-gate.ts';

export type DeliverDeps = AttemptDeps & GateDeps;

/**
 * Makes the attempts of a batch, grouped by endpoint and all concurrently: a slow or failing endpoint delays no other.
 * Every outcome is recorded and reported at once; then the function waits for the ends of the responses, because a
 * receiver that works until then must not find its connection frozen.
 *
 * @returns one result for each attempt, in order
 */
export function deliverAttempts(deps: DeliverDeps) {
  const gates = new EndpointGates(deps);
  return async (batch: readonly DueAttempt[], timeLeft: TimeLeft): Promise<readonly (MessageResult | Later)[]> => {
    const acknowledged: RecordedOutcome[] = [];
    const shared = { gates, timeLeft, tell: collecting(acknowledged, deps.report) };
    const attempted = await Promise.all(
      endpointsOf(batch).map((endpoint) => {
        const attempts = batch.filter(({ key }) => isAt(key, endpoint));
        return attemptEndpoint(deps, shared, endpoint, attempts);
      }),
    );
    if (acknowledged.length > 0) deps.report({ name: 'deliveries.acknowledged', attempts: acknowledged });
    await Promise.all(attempted.map(({ ended }) => ended));
    const results = new Map(attempted.flatMap((each) => each.results));
    return batch.map((due) => results.get(due) ?? 'retry');
  };
}

/** One event for the acknowledged attempts of a batch: most attempts are, and a line for each would be a tenth of the bill. */
function collecting(acknowledged: RecordedOutcome[], report: Report): Report {
  return (event) => {
    if (event.name !== 'delivery.attempted' || event.entry.outcome !== 'acknowledged') return report(event);
    const { name: _, ...outcome } = event;
    acknowledged.push(outcome);
  };
}

function endpointsOf(batch: readonly DueAttempt[]): readonly EndpointKey[] {
  return batch
    .map(({ key }) => key)
    .filter((key, index, keys) => keys.findIndex((other) => isAt(other, key)) === index);
}

function isAt(key: EndpointKey, endpoint: EndpointKey): boolean {
  return key.customerId === endpoint.customerId && key.webhookId === endpoint.webhookId;
}
