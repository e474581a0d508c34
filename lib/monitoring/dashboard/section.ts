import { Duration } from 'aws-cdk-lib';
import {
  GraphWidget,
  type GraphWidgetProps,
  type IMetric,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  type Metric,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';

/** Columns of a dashboard. */
const columns = 24;

/** Period of every metric of the dashboard. CloudWatch widens it when more than a few hours are shown. */
export const period = Duration.minutes(5);

export const sum = { statistic: 'sum', period } as const;
export const highest = { statistic: 'max', period } as const;

/** A row with the question that those below it answer, how to read them, and the headings where the runbook continues. */
export function question(title: string, text: string, runbook: readonly string[]): IWidget[] {
  const links = runbook.map((anchor) => `\`docs/runbook.md#${anchor}\``).join(', ');
  const advice = runbook.length === 0 ? '' : ` What to do: ${links}`;
  return [new TextWidget({ markdown: `## ${title}\n${text}${advice}`, width: columns, height: 2 })];
}

/** @param share how many graphs of this size share a row */
export function graph(title: string, share: number, props: GraphWidgetProps): GraphWidget {
  return new GraphWidget({ ...props, title, width: columns / share, height: 6, period });
}

/** @param logs names of log groups, read each time that the dashboard is shown */
export function logTable(title: string, logs: readonly string[], query: readonly string[]): LogQueryWidget {
  return new LogQueryWidget({
    title,
    logGroupNames: [...logs],
    queryLines: [...query],
    view: LogQueryVisualizationType.TABLE,
    width: columns / 2,
    height: 6,
  });
}

/** The distribution of a duration. */
export function percentiles(metric: Metric): IMetric[] {
  return ['p50', 'p95', 'p99'].map((statistic) => metric.with({ statistic, label: statistic }));
}
