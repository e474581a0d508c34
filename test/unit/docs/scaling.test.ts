import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dimensionValues, type MetricDefinition, metrics } from '#shared/contract/metrics.ts';
import { isPublic, operationNames } from '#shared/contract/routes.ts';

const page = (name: string) => readFileSync(join(import.meta.dirname, '../../../docs', name), 'utf8');

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

describe('docs/scaling.md', () => {
  it('docs/scaling.md says what all metrics of a stage cost at most, and which are more than one', () => {
    const all: readonly MetricDefinition[] = Object.values(metrics);
    const several = all.filter((metric) => mostOf(metric) > 1);
    const rows = several.map((metric) => {
      const by = metric.dimensions.filter((name) => name !== 'stage').map((name) => `\`${name}\``);
      const most = mostOf(metric);
      return `| \`${metric.name}\` | ${by.join(', ')} | ${most} | ${dollars(most)} |`;
    });
    const others = all.length - several.length;
    const total = all.reduce((sum, metric) => sum + mostOf(metric), 0);

    expect(page('scaling.md').split('\n')).toEqual(
      expect.arrayContaining([
        ...rows,
        `| [${others} others](logs.md#metrics) |  | ${others} | ${dollars(others)} |`,
        `| **Together** |  | **${total}** | **${dollars(total)}** |`,
      ]),
    );
    expect(page('operating/costs.md').replaceAll(/\s+/g, ' ')).toContain(
      `[at most ${dollars(total)} a month](../scaling.md#metrics)`,
    );
  });
});
