import type { Context } from 'aws-lambda';
import type { Report, TelemetryEvent } from '#shared/operations/ports.ts';
import { createLogger } from './logger.ts';

/** Logs one line of JSON per event, with ids and outcomes, never with bodies or secrets. */
export const logger = createLogger({ service: 'webhooks', environment: process.env });

/**
 * Wraps a handler so that every line it logs carries the id of its invocation, as the platform's own lines do. A
 * process runs one invocation at a time, and each invocation replaces the id of the previous one.
 */
export function withRequestId<Event, Answer>(
  handler: (event: Event, context: Context) => Promise<Answer>,
): (event: Event, context: Context) => Promise<Answer> {
  return (event, context) => {
    logger.appendKeys({ function_request_id: context.awsRequestId });
    return handler(event, context);
  };
}

export const report: Report = (event) => {
  const { name, ...facts } = event;
  if (event.name === 'step.failed') logger.error(name, toFacts({ ...facts, cause: describe(event.cause) }));
  else if (event.name === 'unknown_customer') {
    logger.warn(name, { type: event.type, customer_id: event.customerId });
  } else if (event.name === 'row.unreadable') logger.error(name, toFacts(facts));
  else logger.info(name, toFacts(facts));
};

/** The loggable parts of an error: its kind and its message. */
export function describe(cause: unknown): { readonly kind: string; readonly message: string } {
  return cause instanceof Error
    ? { kind: cause.name, message: cause.message.slice(0, 500) }
    : { kind: typeof cause, message: String(cause).slice(0, 500) };
}

/** Operations may pass a whole delivery or endpoint; only its ids are logged. */
function toFacts(facts: Omit<TelemetryEvent, 'name'> & Record<string, unknown>): Record<string, unknown> {
  const { delivery, endpoint, ...rest } = facts;
  return {
    ...rest,
    ...(isRecord(delivery) ? { delivery: pickIds(delivery) } : {}),
    ...(isRecord(endpoint)
      ? { endpoint: { customer_id: endpoint.customerId, webhook_id: endpoint.id } }
      : {}),
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function pickIds(delivery: Record<string, unknown>) {
  return {
    customer_id: delivery.customerId,
    webhook_id: delivery.webhookId,
    delivery_id: delivery.id,
  };
}
