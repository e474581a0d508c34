import type { Context } from 'aws-lambda';
import type { Report } from '#shared/operations/ports.ts';
import { setting } from './environment.ts';
import { measurementOf } from './event-metrics.ts';
import { logFacts, logLevels } from './log-facts.ts';
import { createLogger } from './logger.ts';

/** Logs one line of JSON per event, with ids and outcomes, never with bodies or secrets. */
export const logger = createLogger({
  service: 'webhooks',
  stage: setting('stage'),
  environment: process.env,
});

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

export const report: Report = (event) =>
  logger[logLevels[event.name] ?? 'info'](event.name, logFacts(event), measurementOf(event));
