import { Problem } from '#shared/contract/problem.ts';
import { problemCodes } from '#shared/contract/problem-codes.ts';
import type { PlanRequest, ReplayPlan } from '#shared/operations/replays/plan-replays.ts';
import type { ReplayRequest } from '#shared/operations/replays/start-replay.ts';
import { operatorNote } from './operator-note.ts';
import { UsageError } from './usage-error.ts';

/**
 * The bulk replays of a plan, one for each endpoint that has deliveries to replay.
 *
 * @param pace `whole` when they run one after another, `shared` when they run at the same time
 * @throws UsageError when the pace cannot be shared
 */
export function replayRequests(
  { endpoints }: ReplayPlan,
  { rate, ...selection }: PlanRequest,
  { reason }: { readonly reason?: string },
  pace: 'whole' | 'shared',
): readonly ReplayRequest[] {
  const chosen = endpoints.filter(({ deliveries }) => deliveries > 0);
  if (pace === 'shared' && chosen.length > rate) {
    throw new UsageError(
      `${chosen.length} endpoints cannot share ${rate} replays a second: give a --rate of at least ${chosen.length}, or leave out --detach`,
    );
  }
  return chosen.map(({ endpoint }) => ({
    customerId: endpoint.customerId,
    webhookId: endpoint.id,
    selection,
    rate: pace === 'whole' ? rate : Math.floor(rate / chosen.length),
    requestedBy: { by: 'operator', note: operatorNote(reason) },
  }));
}

/** Makes the handler of a refused start: it names the endpoint and the reason. */
export function explainStart({ webhookId }: ReplayRequest): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Problem)) throw error;
    throw new Error(`Endpoint ${webhookId}: ${problemCodes[error.code].title}`, { cause: error });
  };
}
