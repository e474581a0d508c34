import { dimensionValues, type MetricDefinition, metrics } from '#shared/contract/metrics.ts';
import { operationNames, routes } from '#shared/contract/routes.ts';
import { cloudwatch } from '../prices.ts';
import { logBytes } from './assumptions.ts';
import { deployed } from './deployed.ts';
import { logBytesPerEvent } from './event-bill.ts';
import { markdownTable, perMillion } from './markdown-table.ts';

export function logTables(): Readonly<Record<string, string>> {
  return { logs: logTable(), 'custom metrics': metricTable() };
}

function logTable(): string {
  const { attempt, request, invocation, metrics: ofMetrics } = logBytes;
  const { batchSize } = deployed.deliver;
  const row = (title: string, one: number, full: number) => {
    const costs = [one, full].map((bytes) => perMillion(bytes * cloudwatch.logByte));
    return [title, String(Math.round(one)), ...costs];
  };
  const intake = (batch: number) => logBytesPerEvent(batch) - attempt;
  return markdownTable(
    ['Log lines', 'bytes', 'a million, one in each batch', 'a million, full batches'],
    [
      row('`delivery.attempted`, one for each attempt', attempt, attempt),
      row('of which for metrics', ofMetrics, ofMetrics),
      row('`intake.done`, one for each batch, with each event', intake(1), intake(batchSize)),
      row('`request.done`, one for each request to the API', request, request),
      row(
        "Lambda's own start and report of both queue functions, not logged",
        2 * invocation,
        (2 * invocation) / batchSize,
      ),
    ],
  );
}

/** Each combination of dimension values that gets a value in an hour counts as one metric in it. */
function metricTable(): string {
  const rows = Object.values(metrics).map((metric: MetricDefinition) => {
    const most = mostCombinations(metric);
    return [`\`${metric.name}\``, dimensionText(metric), String(most), monthly(most)];
  });
  const total = Object.values(metrics).reduce((sum, metric) => sum + mostCombinations(metric), 0);
  return markdownTable(
    ['Metric', 'by', 'metrics at most', 'a month at most'],
    [...rows, ['**Together**', '', `**${total}**`, `**${monthly(total)}**`]],
  );
}

const monthly = (count: number) => `$${(count * cloudwatch.customMetricMonth).toFixed(2)}`;

function dimensionText({ dimensions }: MetricDefinition): string {
  return dimensions
    .filter((name) => name !== 'stage')
    .map((name) => `\`${name}\``)
    .join(', ');
}

function mostCombinations({ dimensions }: MetricDefinition): number {
  return dimensions.reduce((product, name) => product * valuesOf(name), 1);
}

function valuesOf(name: MetricDefinition['dimensions'][number]): number {
  if (name === 'stage') return 1;
  if (name !== 'operation') return dimensionValues[name].length;
  return operationNames.filter((operation) => routes[operation].access === 'customer').length;
}
