import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { attemptFailedMetrics } from '#shared/contract/metrics.ts';
import type { Alarms } from '../actionable-alarm.ts';
import type { ServiceMetrics } from '../service-metrics.ts';
import type { WatchedStage } from '../watched-stage.ts';

/** With fewer groups of endpoints that get attempts, a receiver is as likely the cause as the service. */
const minGroups = 3;

/**
 * Three failing minutes in an hour: a bad deployment pages quickly, one failed request to a busy API does not. Errors,
 * timeouts and throttles of the API functions surface here, so they need no alarms of their own.
 */
export function apiAlarms({ api }: WatchedStage): Alarms {
  return {
    ApiErrors: {
      // The share of requests answered with a 5xx status, from 0 to 1.
      metric: api.api.metricServerError({ statistic: 'Average', period: Duration.minutes(1) }),
      threshold: 0.01,
      periods: 60,
      breaching: 3,
      severity: 'page',
      summary: 'The API has answered with server errors in three minutes of the last hour',
      runbook: 'the-api-answers-with-server-errors',
    },
  };
}

/**
 * An alarm for most attempts failing across endpoints, of which one endpoint, however large, is one group of eight.
 * Two periods of three: retries to dead endpoints are all that a quiet period may have.
 */
export function attemptAlarms({ metrics }: WatchedStage): Alarms {
  return {
    MostAttemptsFail: {
      metric: mostAttemptsFail(metrics, Duration.minutes(5)),
      threshold: 1,
      periods: 3,
      breaching: 2,
      severity: 'page',
      summary: 'Most attempts fail, to endpoints of most groups that get any',
      runbook: 'our-egress-or-dns-is-down',
    },
  };
}

/** 1 when most groups of endpoints that got attempts failed more than half of theirs, else 0. */
function mostAttemptsFail(metrics: ServiceMetrics, period: Duration): IMetric {
  const groups = failedShares(metrics, period);
  const names = Object.keys(groups);
  const count = (expression: (name: string) => string) =>
    new MathExpression({
      expression: names.map((name) => `(${expression(name)})`).join(' + '),
      usingMetrics: groups,
      period,
    });
  return new MathExpression({
    expression: `IF((active >= ${minGroups}) AND (failing * 2 > active), 1, 0)`,
    usingMetrics: {
      active: count((name) => `FILL(${name}, -1) >= 0`),
      failing: count((name) => `FILL(${name}, -1) > 0.5`),
    },
    label: 'Most attempts fail across endpoints',
    period,
  });
}

/** The share of failed attempts of each group of endpoints, from 0 to 1; no value without attempts. */
export function failedShares(metrics: ServiceMetrics, period: Duration): Record<string, IMetric> {
  const shares = attemptFailedMetrics.map(({ group, key }) => {
    const options = { statistic: 'avg', period, label: `Group ${group}` };
    return [`group${group}`, metrics.outcome(key, {}, options)] as const;
  });
  return Object.fromEntries(shares);
}
