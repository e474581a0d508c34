import { expect, it } from 'vitest';
import { dimensionValues, type MetricDefinition, metrics } from '#shared/contract/metrics.ts';
import { isPublic, operationNames } from '#shared/contract/routes.ts';
import { expectTable, readPage } from '../../support/docs/page-examples.ts';

/** US dollars a month, for the hours in which a metric gets a value. */
const metricPrice = 0.3;

function valuesOf(name: MetricDefinition['dimensions'][number]): number {
  if (name === 'stage') return 1;
  if (name !== 'operation') return dimensionValues[name].length;
  return operationNames.filter((operation) => !isPublic(operation)).length;
}

/** Each combination of dimension values counts as one metric. */
function mostOf({ dimensions }: MetricDefinition): number {
  return dimensions.reduce((product, name) => product * valuesOf(name), 1);
}

const dollars = (count: number): string => `$${(count * metricPrice).toFixed(2)}`;

const all: readonly MetricDefinition[] = Object.values(metrics);
const count = all.reduce((sum, metric) => sum + mostOf(metric), 0);
const total = dollars(count);

it('docs/scaling.md says what all metrics of a stage cost at most, and which are more than one', async () => {
  const several = all.filter((metric) => mostOf(metric) > 1);
  const rows = several.map((metric) => {
    const by = metric.dimensions.filter((name) => name !== 'stage').map((name) => `\`${name}\``);
    return [`\`${metric.name}\``, by.join(', '), String(mostOf(metric)), dollars(mostOf(metric))];
  });
  const others = all.length - several.length;

  await expectTable('../scaling.md', 'metrics', [
    ['Metric', 'by', 'metrics at most', 'a month at most'],
    ...rows,
    [`[${others} others](logs.md#metrics)`, '', String(others), dollars(others)],
    ['**Together**', '', `**${count}**`, `**${total}**`],
  ]);
});

it('docs/operating/costs.md says what all metrics of a stage cost at most', async () => {
  const { text: costs } = await readPage('../operating/costs.md');

  expect(/\[at most (.*?) a month\]\(\.\.\/scaling\.md#metrics\)/.exec(costs)?.[1]).toBe(total);
});
