/**
 * Logs Insights queries of the dashboard, one step per line. docs/runbook.md has those for a single customer or
 * delivery. The names of the fields are those of shared/runtime/log-facts.ts and of the access log.
 */
export const logQueries = {
  failingEndpoints: [
    'filter message in ["delivery.attempted", "delivery.interrupted"] and outcome != "acknowledged"',
    'stats count(*) as failed, latest(outcome) as last_outcome, latest(response_status) as last_status by customer_id, webhook_id',
    'sort failed desc',
    'limit 25',
  ],
  attemptErrors: [
    'filter message in ["delivery.attempted", "delivery.interrupted"] and outcome != "acknowledged"',
    'stats count(*) as failed, count_distinct(webhook_id) as endpoints by outcome, response_status, error',
    'sort failed desc',
    'limit 25',
  ],
  refusedMessages: [
    'filter message in ["message.refused", "unknown_customer"]',
    'stats count(*) as refused, latest(@timestamp) as last by message, customer_id, type, reason',
    'sort refused desc',
    'limit 25',
  ],
  failedSteps: [
    'filter message = "step.failed"',
    'stats count(*) as failed by step, cause.kind, cause.message',
    'sort failed desc',
    'limit 25',
  ],
  apiServerErrors: [
    'filter status >= 500',
    'stats count(*) as failed by resource, method, status, gateway_error, integration_status',
    'sort failed desc',
    'limit 25',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;
