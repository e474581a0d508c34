import type { Table } from '#shared/aws/clients.ts';
import { readEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import { readReplayStates } from '#shared/aws/table/replays/event-replays.ts';
import { invalidRequest, problem } from '#shared/contract/problem.ts';
import type { BulkReplay, ReplayRequest, ReplaySelection } from '#shared/domain/bulk-replay.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { idTime } from '#shared/domain/ids.ts';

/**
 * The selection with its times. It ends in the past, so the deliveries to replay are known, and replays of the job are
 * not among them.
 *
 * @throws Problem `invalid_request`
 */
export function pastSelection(given: ReplayRequest['selection'], now: number): ReplaySelection {
  // An id of the future names no delivery: `knownSource()` says so.
  const createdAfter = given.createdAfter ?? Math.min(now - 1, ...(given.deliveryIds ?? []).map(idTime));
  const createdBefore = given.createdBefore ?? now;
  if (createdAfter >= now) throw invalidRequest('/created_after', '`created_after` must be in the past');
  if (createdBefore > now) {
    throw invalidRequest(
      '/created_before',
      '`created_before` must not be in the future. Leave it out to replay everything until now',
    );
  }
  if (createdBefore <= createdAfter) {
    const beginning = given.createdAfter === null ? 'the oldest of `delivery_ids`' : '`created_after`';
    throw invalidRequest('/created_before', `\`created_before\` must be after ${beginning}`);
  }
  return { ...given, createdAfter, createdBefore };
}

/** The endpoint whose deliveries are sent to an endpoint, deleted or not; `null` when there is none. */
async function sourceOf(
  table: Table,
  endpoint: Endpoint,
  { sourceWebhookId = endpoint.id }: ReplaySelection,
): Promise<Endpoint | null> {
  if (sourceWebhookId === endpoint.id) return endpoint;
  return await readEndpoint(table, endpoint.customerId, sourceWebhookId);
}

/** The endpoint that a job sends to, and the one whose deliveries it sends; `null` when one of them is gone. */
export async function endpointsOf(
  table: Table,
  { customerId, webhookId, selection }: BulkReplay,
): Promise<{ readonly endpoint: Endpoint; readonly source: Endpoint } | null> {
  const endpoint = await readEndpoint(table, customerId, webhookId);
  const source = endpoint && (await sourceOf(table, endpoint, selection));
  return source && { endpoint, source };
}

/**
 * Refuses ids that name no endpoint, or no delivery of it, also those of another customer.
 *
 * @returns the endpoint whose deliveries are selected
 * @throws Problem `not_found`
 */
export async function knownSource(table: Table, endpoint: Endpoint, selection: ReplaySelection): Promise<Endpoint> {
  const source = await sourceOf(table, endpoint, selection);
  if (source === null) {
    throw problem('not_found', {
      detail: `There is no endpoint \`${selection.sourceWebhookId}\`: give \`source_webhook_id\` the id of an endpoint that you hold or have deleted`,
    });
  }
  await assertKnown(table, source, selection.deliveryIds ?? []);
  return source;
}

async function assertKnown(table: Table, endpoint: Endpoint, deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length === 0) return;
  const known = new Set((await readReplayStates(table, endpoint, deliveryIds)).map(({ id }) => id));
  const unknown = deliveryIds.filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  const others = unknown.length === 1 ? '' : `, and ${unknown.length - 1} more of \`delivery_ids\``;
  throw problem('not_found', {
    detail: `The endpoint \`${endpoint.id}\` has no delivery \`${unknown[0]}\`${others}: list its deliveries and take their ids from there`,
  });
}
