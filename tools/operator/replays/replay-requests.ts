import { userInfo } from 'node:os';
import { Problem } from '#shared/contract/problem.ts';
import { problemCodes } from '#shared/contract/problem-codes.ts';
import type { ReplayRequest } from '#shared/domain/bulk-replay.ts';
import type { BulkReplayPlan, PlanRequest } from '#shared/domain/bulk-replay-plan.ts';
import type { RefusedReplay, UnpacedRequest } from '#shared/operations/operator/run-bulk-replays.ts';
import { explainFailure } from '../cli/explain-failure.ts';
import { UsageError } from '../cli/usage-error.ts';

/** The bulk replays of a plan, one for each endpoint that has deliveries to replay. */
export function replayRequests(
  { endpoints }: BulkReplayPlan,
  { rate: _, ...selection }: PlanRequest,
  { reason }: { readonly reason?: string },
): readonly UnpacedRequest[] {
  const requestedBy = { by: 'operator', note: operatorNote(reason) } as const;
  return endpoints
    .filter(({ deliveries }) => deliveries > 0)
    .map(({ endpoint }) => ({
      customerId: endpoint.customerId,
      webhookId: endpoint.id,
      selection,
      requestedBy,
    }));
}

/** Requests that start at the same time. @throws UsageError when they cannot share the pace */
export function withSharedPace(requests: readonly UnpacedRequest[], rate: number): readonly ReplayRequest[] {
  if (requests.length > rate) {
    throw new UsageError(
      `${requests.length} endpoints cannot share ${rate} replays a second: give a --rate of at least ${requests.length}, or leave out --detach`,
    );
  }
  return requests.map((request) => ({ ...request, rate: Math.floor(rate / requests.length) }));
}

export const nothingTwice = 'The same command continues with the rest, and replays nothing twice';

/** Makes the handler of a refused start: it names the endpoint and the reason. */
export function explainStart(request: ReplayRequest): (error: unknown) => never {
  return (error) => {
    if (error instanceof Problem) throw new Error(refusalText({ request, problem: error }), { cause: error });
    const unknown = `It is not known whether the bulk replay of endpoint ${request.webhookId} was started`;
    throw new Error(`${unknown}: ${explainFailure(error)}. ${nothingTwice}`);
  };
}

export function refusalText({ request, problem }: RefusedReplay): string {
  return `Endpoint ${request.webhookId}: ${problemCodes[problem.code].title}`;
}

/** Maximum number of characters. */
const noteLength = 200;

/**
 * Who runs the command, by the name at the operating system, and why: one line for the audit trail.
 *
 * @returns `null` when both are unknown
 */
export function operatorNote(reason: string | undefined, name = userName()): string | null {
  const parts = [name, reason ?? ''].map((text) => text.replaceAll(/[\p{C}\s]+/gu, ' ').trim());
  const note = parts
    .filter((text) => text !== '')
    .join(': ')
    .slice(0, noteLength)
    .trim();
  return note === '' ? null : note;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run with a user id that has no name.
    return '';
  }
}
