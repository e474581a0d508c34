import { timestamp, timestampOrNull } from '#shared/contract/timestamp.ts';
import type { PlannedEndpoint, PlanRequest, ReplayPlan } from '#shared/operations/replays/plan-replays.ts';
import { duration } from './duration.ts';
import { textTable } from './text-table.ts';

const columns = ['ENDPOINT', 'URL', 'STATE', 'TO REPLAY', 'SKIPPED', 'OLDEST', 'NEWEST'] as const;

/** What a bulk replay would do, for a person. */
export function planLines(plan: ReplayPlan, request: PlanRequest): readonly string[] {
  const { status, createdAfter, createdBefore } = request;
  return [
    `Deliveries with status ${status}, created from ${timestamp(createdAfter)} until ${timestamp(createdBefore)}`,
    ...(plan.endpoints.length === 0 ? [] : textTable(columns, plan.endpoints.map(cellsOf))),
    ...skippedLines(plan),
    totalLine(plan, request),
  ];
}

/** What a bulk replay would do, for a program. */
export function planJson(plan: ReplayPlan, request: PlanRequest) {
  return {
    status: request.status,
    created_after: timestamp(request.createdAfter),
    created_before: timestamp(request.createdBefore),
    rate: request.rate,
    deliveries: plan.deliveries,
    oldest: timestampOrNull(plan.oldest),
    newest: timestampOrNull(plan.newest),
    seconds: Math.ceil(plan.durationMs / 1000),
    complete: plan.complete,
    endpoints: plan.endpoints.map(endpointJson),
  };
}

/** `1 delivery`, `2 deliveries`. */
export function deliveriesText(count: number): string {
  return `${count} ${count === 1 ? 'delivery' : 'deliveries'}`;
}

function cellsOf({ endpoint, deliveries, skipped, oldest, newest }: PlannedEndpoint) {
  return [
    endpoint.id,
    endpoint.url,
    endpoint.status,
    String(deliveries),
    String(skipped.replayedEarlier + skipped.notActive),
    timestampOrNull(oldest),
    timestampOrNull(newest),
  ];
}

function endpointJson({ endpoint, deliveries, skipped, oldest, newest }: PlannedEndpoint) {
  return {
    id: endpoint.id,
    customer_id: endpoint.customerId,
    url: endpoint.url,
    status: endpoint.status,
    deliveries,
    skipped: { already_replayed: skipped.replayedEarlier, not_active: skipped.notActive },
    oldest: timestampOrNull(oldest),
    newest: timestampOrNull(newest),
  };
}

function skippedLines({ endpoints }: ReplayPlan): readonly string[] {
  const sum = (reason: keyof PlannedEndpoint['skipped']) =>
    endpoints.reduce((total, { skipped }) => total + skipped[reason], 0);
  const [earlier, notActive] = [sum('replayedEarlier'), sum('notActive')];
  return [
    ...(earlier === 0 ? [] : [`Skipped: ${deliveriesText(earlier)} with a replay already`]),
    ...(notActive === 0
      ? []
      : [`Skipped: ${deliveriesText(notActive)} of endpoints that are not active, which receive nothing`]),
  ];
}

function totalLine({ endpoints, deliveries, durationMs }: ReplayPlan, { rate }: PlanRequest): string {
  if (deliveries === 0) return 'Nothing to replay';
  const count = endpoints.filter((planned) => planned.deliveries > 0).length;
  const to = `${count} ${count === 1 ? 'endpoint' : 'endpoints'}`;
  return `To replay: ${deliveriesText(deliveries)} to ${to} at ${rate} a second, which takes about ${duration(durationMs)}`;
}
