import { Duration } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Alarms } from '../actionable-alarm.ts';

/** The API, by the share of its requests that are answered with a 5xx status. */
export type WatchedApi = { readonly failedShare: (period: Duration) => IMetric };

/**
 * Three failing minutes in an hour: a bad deployment pages quickly, one failed request to a busy API does not. Errors,
 * timeouts and throttles of the API functions surface here, so they need no alarms of their own.
 */
export function apiAlarms(api: WatchedApi): Alarms {
  return {
    ApiErrors: {
      metric: api.failedShare(Duration.minutes(1)),
      threshold: 0.01,
      periods: 60,
      breaching: 3,
      severity: 'page',
      summary: 'The API has answered with server errors in three minutes of the last hour',
      runbook: 'the-api-answers-with-server-errors',
    },
  };
}
