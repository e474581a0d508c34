import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { dimensionValues, metricNamespace, metrics } from '#shared/contract/metrics.ts';
import { operationNames } from '#shared/contract/routes.ts';
import { repositoryRoot } from '../../lib/build/bundle.ts';
import { exampleLines } from '../support/logs/example-lines.ts';
import { type Datum, readEmbedded } from '../support/metrics/embedded-format.ts';
import { alarmsOf } from './alarms.ts';
import { metricsOf, type NamedMetric, searchesOf, widgetsOf } from './dashboard-body.ts';
import { everyOption, lean, synthesizeStage } from './synthesized-stage.ts';

const stage = await synthesizeStage();
const alarms = alarmsOf(stage);
const widgets = widgetsOf(stage.delivery);

afterEach(() => {
  vi.restoreAllMocks();
});

const readPage = (name: string) => readFile(join(repositoryRoot, 'docs', name), 'utf8');

describe('names and dimensions of metrics', () => {
  it('functions emit every metric of log lines that shared/contract/metrics.ts has, with exactly its dimensions', async () => {
    const emitted = (await exampleLines()).flatMap((line) => readEmbedded(line).data);
    const published = publishedMetrics('test');

    expect(emitted.map(textOf).filter((text) => !published.map(textOf).includes(text))).toEqual([]);
    expect(new Set(emitted.map(({ name }) => name))).toEqual(new Set(published.map(({ name }) => name)));
  });

  it('the dashboard shows every metric, with every value of its dimensions', () => {
    const shown = new Set(widgets.flatMap(metricsOf).map(textOf));
    const searched = widgets.flatMap(searchesOf).join('\n');

    const missing = publishedMetrics('dev').filter((metric) => !shown.has(textOf(metric)));

    expect(new Set(missing.map(({ name }) => name))).toEqual(new Set([metrics.apiRequests.name]));
    expect(searched).toBe(
      `SEARCH('{Webhooks,${metrics.apiRequests.dimensions.join(',')}} ` +
        `MetricName="ApiRequests" stage="dev"', 'Sum', 300)`,
    );
  });
});

/** US dollars a month for each metric of an alarm; docs/scaling.md has the sources of all prices. */
const alarmPrice = 0.1;

describe('the runbook and the bill of alarms', () => {
  it('alarms and dashboard name only sections that the runbook has', async () => {
    const page = await readPage('runbook.md');
    const headings = [...page.matchAll(/^##+ (.+)$/gm)].map(([, text = '']) => text.toLowerCase().replaceAll(' ', '-'));
    const named = texts().flatMap((text) =>
      [...text.matchAll(/docs\/runbook\.md#([\w-]+)/g)].map(([, anchor]) => anchor),
    );

    const ofAlarms = alarmsOf(await synthesizeStage(everyOption)).map(({ anchor }) => anchor);
    expect(named).toEqual(expect.arrayContaining(['receivers-fail', 'a-customer-says-nothing-came']));
    expect([...named, ...ofAlarms].filter((anchor = '') => !headings.includes(anchor))).toEqual([]);
  });

  it('docs/operating/costs.md names their number, the metrics they watch, and what those and the dashboard cost', async () => {
    const text = (await readPage('operating/costs.md')).replaceAll(/\s+/g, ' ');
    const watched = alarms.flatMap((alarm) => alarm.metrics).length;

    expect(/\$[\d.]+ for the \d+ metrics that \d+ alarms watch/.exec(text)?.[0]).toBe(
      `$${(watched * alarmPrice).toFixed(2)} for the ${watched} metrics that ${alarms.length} alarms watch`,
    );
    expect(/\$[\d.]+ for the dashboard/.exec(text)?.[0]).toBe('$3 for the dashboard');
  });

  it('docs/operating/costs.md adds up what an idle stage costs, and docs/operating/for-platforms.md repeats the sum', async () => {
    const [costs, platforms] = await Promise.all(['operating/costs.md', 'operating/for-platforms.md'].map(readPage));
    const [, sum, parts = ''] = /idle stage costs about (\$[\d.]+) a month:(.*?) dashboard/s.exec(costs ?? '') ?? [];
    const prices = [...parts.matchAll(/\$([\d.]+)/g)].map(([, price]) => Number(price));

    expect(sum).toBe(`$${prices.reduce((total, price) => total + price, 0).toFixed(2)}`);
    expect(platforms).toContain(`| The idle stage | | ${sum} |`);
  });
});

describe('the dashboard', () => {
  it('the dashboard shows the alarms, then answers five questions in order', () => {
    const questions = texts().flatMap((text) => /^## (.+)$/m.exec(text)?.[1] ?? []);

    expect(widgets[0]).toMatchObject({ type: 'alarm', properties: { alarms: alarms.map(() => '…') } });
    expect(questions).toEqual([
      'Do events come in?',
      'Do they go out?',
      'Who is failing?',
      'What waits?',
      'What does it cost?',
    ]);
  });

  it('the dashboard is named after the stage and the Region, because accounts have one list of dashboards', () => {
    stage.delivery.hasResourceProperties('AWS::CloudWatch::Dashboard', {
      DashboardName: { 'Fn::Join': ['', ['webhooks-dev-', { Ref: 'AWS::Region' }]] },
    });
    const { Value } = z
      .object({ Value: z.object({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) }) })
      .parse(stage.delivery.findOutputs('DashboardUrl').DashboardUrl);
    expect(Value['Fn::Join'][1].slice(-2)).toEqual([
      expect.stringMatching(/#dashboards\/dashboard\/webhooks-dev-$/),
      { Ref: 'AWS::Region' },
    ]);
  });

  it('the dashboard shows the requests of the API, and how many of them failed', () => {
    expect(graph(widgets, 'API requests').map(({ name }) => name)).toEqual(['Count', '4XXError', '5XXError']);
  });

  it('the dashboard of a stage with an event bus and notices shows their alarms and their dead letters', async () => {
    const withBus = await synthesizeStage(everyOption);
    const shown = widgetsOf(withBus.delivery);

    expect(shown[0]).toMatchObject({ properties: { alarms: alarmsOf(withBus).map(() => '…') } });
    expect(graph(shown, 'Dead letters').map(({ dimensions }) => dimensions.QueueName)).toEqual([
      ...['…', '…', '…'],
      'webhooks-prod-event-bus-dead-letters',
      '…',
    ]);
  });

  it('a stage can do without the dashboard, and keeps its alarms', async () => {
    const bare = await synthesizeStage(lean);

    bare.delivery.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
    bare.delivery.resourceCountIs('AWS::CloudWatch::Alarm', alarms.length);
  });
});

/** The metrics of the graph with a title. */
const graph = (shown: typeof widgets, title: string) =>
  shown.filter(({ type, properties }) => type !== 'text' && properties.title === title).flatMap(metricsOf);

const texts = () => widgets.flatMap((widget) => (widget.type === 'text' ? [widget.properties.markdown] : []));

/** Everything that the functions of a stage publish, with all values of the dimensions. */
function publishedMetrics(stageName: string): readonly NamedMetric[] {
  const values: Readonly<Record<string, readonly string[]>> = {
    ...dimensionValues,
    stage: [stageName],
    operation: operationNames,
  };
  return Object.values(metrics).flatMap(({ name, dimensions }) =>
    dimensions
      .reduce<readonly Record<string, string>[]>(
        (combined, dimension) =>
          combined.flatMap((some) => (values[dimension] ?? []).map((value) => ({ ...some, [dimension]: value }))),
        [{}],
      )
      .map((dimensionsOfOne) => ({ namespace: metricNamespace, name, dimensions: dimensionsOfOne })),
  );
}

function textOf({ namespace, name, dimensions }: NamedMetric | Datum): string {
  return [namespace, name, ...Object.entries(dimensions).map((pair) => pair.join('='))].toSorted().join(' ');
}
