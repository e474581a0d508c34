import { timestamp, timestampOrNull } from '#shared/contract/timestamp.ts';
import type { ReplaySelection } from '#shared/domain/bulk-replay.ts';
import {
  type BulkReplayPlan,
  type PlannedEndpoint,
  type PlanRequest,
  planOf,
} from '#shared/domain/bulk-replay-plan.ts';
import type { Customer } from '#shared/domain/customer.ts';
import { counted, duration, recordTable, when } from '../cli/text-table.ts';
import type { ReplayOptions } from './replay-options.ts';

/** Customers that the plan of all shows to a person. */
const shownCustomers = 50;

/** What a bulk replay would do, for a person. */
export function planLines(plan: BulkReplayPlan, request: PlanRequest): readonly string[] {
  const table = recordTable(plan.endpoints, {
    ENDPOINT: ({ endpoint }) => endpoint.id,
    URL: ({ endpoint }) => endpoint.url,
    STATE: ({ endpoint }) => endpoint.status,
    'TO REPLAY': 'deliveries',
    SKIPPED: ({ skipped }) => skipped.replayedEarlier + skipped.notActive,
    OLDEST: ({ oldest }) => timestampOrNull(oldest),
    NEWEST: ({ newest }) => timestampOrNull(newest),
  });
  return framed(plan, request, table);
}

/** What the bulk replays of all customers would do, for a person: a line for each customer, the most concerned first. */
export function allPlanLines(
  plan: BulkReplayPlan,
  request: PlanRequest,
  customers: readonly Customer[],
): readonly string[] {
  const byCustomer = Map.groupBy(plan.endpoints, ({ endpoint }) => endpoint.customerId);
  const plans = customers
    .map(({ id, name }) => ({ id, name, plan: planOf(byCustomer.get(id) ?? [], request) }))
    .filter((customer) => customer.plan.endpoints.length > 0)
    .toSorted((one, other) => other.plan.deliveries - one.plan.deliveries);
  const rest = plans.slice(shownCustomers);
  const deliveries = rest.reduce((sum, customer) => sum + customer.plan.deliveries, 0);
  return framed(plan, request, [
    ...recordTable(plans.slice(0, shownCustomers), {
      CUSTOMER: 'id',
      NAME: 'name',
      ENDPOINTS: (planned) => planned.plan.endpoints.length,
      'TO REPLAY': (planned) => planned.plan.deliveries,
      SKIPPED: (planned) => planned.plan.replayedEarlier + notActiveIn(planned.plan),
      OLDEST: (planned) => timestampOrNull(planned.plan.oldest),
      NEWEST: (planned) => timestampOrNull(planned.plan.newest),
    }),
    ...when(
      rest.length > 0,
      `And ${counted(rest.length, 'more customer')} with ${deliveriesText(deliveries)} to replay: --json has all`,
    ),
  ]);
}

/** What is selected, then what it concerns, then what is skipped and how many that leaves. */
function framed(plan: BulkReplayPlan, request: PlanRequest, concerned: readonly string[]): readonly string[] {
  const [earlier, notActive] = [plan.replayedEarlier, notActiveIn(plan)];
  return [
    selectionLine(request),
    ...concerned,
    ...when(earlier > 0, `Skipped: ${deliveriesText(earlier)} with a replay already`),
    ...when(
      notActive > 0,
      `Skipped: ${deliveriesText(notActive)} of endpoints that are not active, which receive nothing`,
    ),
    totalLine(plan, request),
  ];
}

/** The command that replays what was planned, and nothing that has failed since. */
export function startText({ all, customer, endpoint }: ReplayOptions, request: PlanRequest): string {
  const { status, rate, sourceWebhookId: source, eventType, response } = request;
  const [since, until] = [timestamp(request.createdAfter), timestamp(request.createdBefore)];
  const filters = { source, 'event-type': eventType, response };
  const given = Object.entries({ customer, endpoint, status, since, until, ...filters, rate })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `--${name} ${value}`);
  return ['replay start', ...when(all === true, '--all'), ...given].join(' ');
}

/** What a bulk replay would do, for a program. */
export function planJson(plan: BulkReplayPlan, request: PlanRequest) {
  return {
    status: request.status,
    created_after: timestamp(request.createdAfter),
    created_before: timestamp(request.createdBefore),
    source_webhook_id: request.sourceWebhookId ?? null,
    event_type: request.eventType ?? null,
    response: request.response ?? null,
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
  return counted(count, 'delivery', 'deliveries');
}

export function selectionLine(selection: ReplaySelection): string {
  const { status, createdAfter, createdBefore, sourceWebhookId, eventType, response, deliveryIds } = selection;
  return [
    `Deliveries with status ${status}, created from ${timestamp(createdAfter)} until ${timestamp(createdBefore)}`,
    ...(sourceWebhookId === undefined ? [] : [`of endpoint ${sourceWebhookId}`]),
    ...(eventType === undefined ? [] : [`with type ${eventType}`]),
    ...(response === undefined ? [] : [`with response ${response}`]),
    ...(deliveryIds === undefined ? [] : [`of ${counted(deliveryIds.length, 'given id')}`]),
  ].join(', ');
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

function notActiveIn({ endpoints }: BulkReplayPlan): number {
  return endpoints.reduce((total, { skipped }) => total + skipped.notActive, 0);
}

function totalLine({ endpoints, deliveries, durationMs }: BulkReplayPlan, { rate }: PlanRequest): string {
  if (deliveries === 0) return 'Nothing to replay';
  const count = endpoints.filter((planned) => planned.deliveries > 0).length;
  return `To replay: ${deliveriesText(deliveries)} to ${counted(count, 'endpoint')} at ${rate} a second, which takes about ${duration(durationMs)}`;
}
