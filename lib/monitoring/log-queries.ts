/** The rows with the largest count. */
const most = (count: 'failed' | 'refused') => [`sort ${count} desc`, 'limit 25'];

const failedAttempts = 'filter message in ["delivery.attempted", "delivery.interrupted"] and outcome != "acknowledged"';

/**
 * Logs Insights queries of the dashboard, one step per line. docs/runbook.md has those for a single customer or
 * delivery. The names of the fields are those of shared/runtime/log-facts.ts and of the access log.
 */
export const logQueries = {
  failingEndpoints: [
    failedAttempts,
    'stats count(*) as failed, latest(outcome) as last_outcome, latest(response_status) as last_status by customer_id, webhook_id',
    ...most('failed'),
  ],
  attemptErrors: [
    failedAttempts,
    'stats count(*) as failed, count_distinct(webhook_id) as endpoints by outcome, response_status, error',
    ...most('failed'),
  ],
  refusedMessages: [
    'filter message in ["message.refused", "unknown_customer"]',
    'stats count(*) as refused, latest(@timestamp) as last by message, customer_id, type, reason',
    ...most('refused'),
  ],
  failedSteps: [
    'filter message = "step.failed"',
    'stats count(*) as failed by step, cause.kind, cause.message',
    ...most('failed'),
  ],
  apiServerErrors: [
    'filter status >= 500',
    'stats count(*) as failed by resource, method, status, gateway_error, integration_status',
    ...most('failed'),
  ],
} satisfies Readonly<Record<string, readonly string[]>>;
