import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import {
  auditMetrics,
  dimensionValues,
  metricNamespace,
  metricService,
  metrics,
} from '#shared/contract/metrics.ts';
import { operationNames } from '#shared/contract/routes.ts';
import { cloudwatch } from '../../bench/prices.ts';
import { repositoryRoot } from '../../lib/bundle.ts';
import { runbookAnchors, symptomAnchors } from '../../lib/runbook.ts';
import { exampleLines } from '../support/logs/example-lines.ts';
import { type Datum, readEmbedded } from '../support/metrics/embedded-format.ts';
import { metricsOf, type NamedMetric, searchesOf, type Widget, widgetsOf } from './dashboard-body.ts';
import { type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

const metricSchema = z.object({
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.unknown() })),
});
const querySchema = z.object({
  Id: z.string(),
  Expression: z.string().optional(),
  MetricStat: z.object({ Metric: metricSchema, Period: z.number(), Stat: z.string() }).optional(),
});
const alarmSchema = z.union([
  z.looseObject({ AlarmDescription: z.string(), Metrics: z.array(querySchema) }),
  metricSchema.extend({ AlarmDescription: z.string() }).loose(),
]);

type Alarm = z.infer<typeof alarmSchema>;

let stage: SynthesizedStage;
let widgets: readonly Widget[];
let page: string;

beforeAll(async () => {
  stage = await synthesizeStage({ stage: 'blue' });
  widgets = widgetsOf(stage.delivery);
  page = await readFile(join(repositoryRoot, 'docs/runbook.md'), 'utf8');
});

afterEach(() => {
  vi.restoreAllMocks();
});

afterAll(() => stage.remove());

describe('names and dimensions of metrics', () => {
  it('alarms and dashboard name only metrics that shared/contract/metrics.ts has, with exactly their dimensions', () => {
    const named = [...alarms().flatMap(metricsOfAlarm), ...widgets.flatMap(metricsOf)].filter(isOwn);
    const published = new Set(publishedMetrics().map(textOf));

    expect(named.length).toBeGreaterThan(30);
    expect(named.map(textOf).filter((text) => !published.has(text))).toEqual([]);
  });

  it('functions emit every metric that shared/contract/metrics.ts has, with exactly its dimensions', async () => {
    const emitted = (await exampleLines()).flatMap((line) => readEmbedded(line).data);
    const published = new Set(publishedMetrics('test').map(textOf));

    expect(emitted.map(textOf).filter((text) => !published.has(text))).toEqual([]);
    expect(new Set(emitted.map(({ name }) => name))).toEqual(
      new Set(Object.values(metrics).map(({ name }) => name)),
    );
  });

  it('the dashboard shows every metric, with every value of its dimensions', () => {
    const shown = new Set(widgets.flatMap(metricsOf).map(textOf));
    const searched = widgets.flatMap(searchesOf).join('\n');

    const missing = publishedMetrics().filter((metric) => !shown.has(textOf(metric)));

    expect(new Set(missing.map(({ name }) => name))).toEqual(new Set([metrics.apiRequests.name]));
    expect(searched).toBe(
      `SEARCH('{Webhooks,${metrics.apiRequests.dimensions.join(',')}} ` +
        `MetricName="ApiRequests" stage="blue"', 'Sum', 300)`,
    );
  });
});

describe('the alarm over most attempts', () => {
  it('the alarm watches the share of failed attempts of all eight groups, and no single endpoint can raise it', () => {
    const alarm = alarmAt(runbookAnchors.mostAttemptsFail);
    const watched = metricsOfAlarm(alarm);

    expect(watched.map(({ dimensions }) => dimensions.endpoint_group)).toEqual([
      ...dimensionValues.endpoint_group,
    ]);
    expect(watched.every(({ name }) => name === metrics.attemptFailed.name)).toBe(true);
    expect(alarm).toMatchObject({
      Threshold: 1,
      EvaluationPeriods: 3,
      DatapointsToAlarm: 2,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
    });
    expect(alarm.AlarmDescription).toMatch(/^\[page\]/);
    const [last, active, failing] = expressionsOf(alarm);
    expect(last).toBe('IF((active >= 3) AND (failing * 2 > active), 1, 0)');
    expect(active).toBe(watched.map((_, group) => `(FILL(group${group}, -1) >= 0)`).join(' + '));
    expect(failing).toBe(watched.map((_, group) => `(FILL(group${group}, -1) > 0.5)`).join(' + '));
  });
});

describe('the alarm over throttles of the table', () => {
  it('the alarm adds the reads and writes of the table and of each index, of which each may have no data', () => {
    const alarm = alarmAt(runbookAnchors.tableThrottles);

    const watched = metricsOfAlarm(alarm).map(
      ({ name, dimensions }) => `${name} ${dimensions.GlobalSecondaryIndexName ?? 'table'}`,
    );

    expect(watched).toEqual(
      ['table', 'waiting', 'listed'].flatMap((place) => [
        `ReadThrottleEvents ${place}`,
        `WriteThrottleEvents ${place}`,
      ]),
    );
    expect(expressionsOf(alarm)[0]?.match(/FILL\(\w+, 0\)/g)).toHaveLength(6);
    expect(alarm).toMatchObject({ Threshold: 1, EvaluationPeriods: 3, TreatMissingData: 'notBreaching' });
  });
});

describe('the alarms', () => {
  it('no alarm watches more than the ten metrics that CloudWatch accepts', () => {
    const most = Math.max(...alarms().map((alarm) => metricsOfAlarm(alarm).length));

    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(10);
  });

  it('docs/operating.md names their number, the metrics they watch, and what those and the dashboard cost', async () => {
    const operating = await readFile(join(repositoryRoot, 'docs/operating.md'), 'utf8');
    const text = operating.replaceAll(/\s+/g, ' ');
    const watched = alarms().flatMap(metricsOfAlarm).length;
    const shown = new Set(widgets.flatMap(metricsOf).map(textOf)).size;

    expect(text).toContain(
      `$${(watched * cloudwatch.alarmMonth).toFixed(2)} for the ${watched} metrics that ${alarms().length} alarms watch`,
    );
    expect(shown).toBeGreaterThan(50);
    expect(text).toContain(`$${cloudwatch.dashboardMonth} for the dashboard`);
  });
});

describe('the dashboard', () => {
  it('the dashboard shows the alarms, then answers five questions in order', () => {
    const questions = widgets.flatMap((widget) =>
      widget.type === 'text' ? (/^## (.+)$/m.exec(widget.properties.markdown)?.[1] ?? []) : [],
    );

    expect(widgets[0]).toMatchObject({ type: 'alarm', properties: { alarms: alarms().map(() => '…') } });
    expect(questions).toEqual([
      'Do events come in?',
      'Do they go out?',
      'Who is failing?',
      'What waits?',
      'What does it cost?',
    ]);
  });

  it('the dashboard names only sections that the runbook has', () => {
    const headings = [...page.matchAll(/^##+ (.+)$/gm)].map(([, text = '']) => anchorOf(text));
    const named = widgets.flatMap((widget) =>
      widget.type === 'text'
        ? [...widget.properties.markdown.matchAll(/docs\/runbook\.md#([\w-]+)/g)].map(([, anchor]) => anchor)
        : [],
    );

    expect(named).toEqual(expect.arrayContaining(Object.values(symptomAnchors)));
    expect(named.filter((anchor) => anchor === undefined || !headings.includes(anchor))).toEqual([]);
  });

  it('the dashboard is named after the stage and the Region, because accounts have one list of dashboards', () => {
    const name = ['webhooks-blue-', { Ref: 'AWS::Region' }];
    stage.delivery.hasResourceProperties('AWS::CloudWatch::Dashboard', {
      DashboardName: { 'Fn::Join': ['', name] },
    });
    const { Value } = z
      .object({ Value: z.object({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) }) })
      .parse(stage.delivery.findOutputs('DashboardUrl').DashboardUrl);
    expect(Value['Fn::Join'][1].slice(-2)).toEqual([
      expect.stringMatching(/#dashboards\/dashboard\/webhooks-blue-$/),
      { Ref: 'AWS::Region' },
    ]);
  });

  it('the dashboard of a stage with an event bus shows the alarms and the dead letters of the bus', async () => {
    const withBus = await synthesizeStage({ stage: 'blue', eventBus: 'create' });
    const shown = widgetsOf(withBus.delivery);
    const deadLetters = shown.find(
      ({ type, properties }) => type === 'metric' && properties.title === 'Dead letters',
    );

    expect(shown[0]).toMatchObject({ properties: { alarms: [...alarms(), 1, 2].map(() => '…') } });
    expect(deadLetters && metricsOf(deadLetters).map(({ dimensions }) => dimensions.QueueName)).toEqual([
      '…',
      '…',
      '…',
      'webhooks-blue-event-bus-dead-letters',
    ]);
    await withBus.remove();
  });

  it('a stage can do without the dashboard, and keeps its alarms', async () => {
    const bare = await synthesizeStage({ stage: 'blue', dashboard: 'false' });

    bare.delivery.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
    bare.delivery.resourceCountIs('AWS::CloudWatch::Alarm', alarms().length);
    await bare.remove();
  });
});

/** Everything that the functions of the stage publish. */
function publishedMetrics(stageName = 'blue'): readonly NamedMetric[] {
  const values: Readonly<Record<string, readonly string[]>> = {
    ...dimensionValues,
    stage: [stageName],
    operation: operationNames,
  };
  const ofLines = Object.values(metrics).flatMap(({ name, dimensions }) =>
    dimensions
      .reduce<readonly Record<string, string>[]>(
        (combined, dimension) =>
          combined.flatMap((some) =>
            (values[dimension] ?? []).map((value) => ({ ...some, [dimension]: value })),
          ),
        [{}],
      )
      .map((dimensionsOfOne) => ({ namespace: metricNamespace, name, dimensions: dimensionsOfOne })),
  );
  const ofAudit = Object.values(auditMetrics).map((name) => ({
    namespace: metricNamespace,
    name,
    dimensions: { service: metricService, stage: stageName },
  }));
  return [...ofLines, ...ofAudit];
}

function isOwn({ namespace }: NamedMetric): boolean {
  return !namespace.startsWith('AWS/');
}

function textOf({ namespace, name, dimensions }: NamedMetric | Datum): string {
  return [namespace, name, ...Object.entries(dimensions).map((pair) => pair.join('='))].toSorted().join(' ');
}

function alarms(): readonly Alarm[] {
  const resources = Object.values(stage.delivery.findResources('AWS::CloudWatch::Alarm'));
  return resources.map(({ Properties }) => alarmSchema.parse(Properties));
}

function alarmAt(anchor: string): Alarm {
  const [alarm, ...others] = alarms().filter(({ AlarmDescription }) =>
    AlarmDescription.endsWith(`#${anchor}`),
  );
  if (alarm === undefined || others.length > 0) throw new Error(`Not one alarm names ${anchor}`);
  return alarm;
}

function metricsOfAlarm(alarm: Alarm): readonly NamedMetric[] {
  const queries = querySchema.array().safeParse(alarm.Metrics);
  const found = queries.success
    ? queries.data.flatMap(({ MetricStat }) => MetricStat?.Metric ?? [])
    : [metricSchema.parse(alarm)];
  return found.map(({ Namespace, MetricName, Dimensions }) => ({
    namespace: Namespace,
    name: MetricName,
    dimensions: Object.fromEntries(
      Dimensions.map(({ Name, Value }) => [Name, typeof Value === 'string' ? Value : '…']),
    ),
  }));
}

function expressionsOf(alarm: Alarm): readonly string[] {
  return querySchema
    .array()
    .parse(alarm.Metrics)
    .flatMap(({ Expression }) => Expression ?? []);
}

function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}
