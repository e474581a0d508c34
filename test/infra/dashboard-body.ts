import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';

const textWidget = z.object({ type: z.literal('text'), properties: z.object({ markdown: z.string() }) });
const otherWidget = z.object({
  type: z.enum(['alarm', 'log', 'metric']),
  properties: z.looseObject({
    title: z.string(),
    alarms: z.array(z.string()).default([]),
    query: z.string().default(''),
    metrics: z.array(z.array(z.unknown())).default([]),
  }),
});
const bodySchema = z.object({ widgets: z.array(z.union([textWidget, otherWidget])) });

const dashboardSchema = z.object({
  DashboardBody: z.object({ 'Fn::Join': z.tuple([z.literal(''), z.array(z.unknown())]) }),
});

export type Widget = z.infer<typeof bodySchema>['widgets'][number];

/** A metric that a template names, with its dimensions; values that only a deployment knows are `…`. */
export type NamedMetric = {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
};

/** The widgets of a stage's dashboard, in order. */
export function widgetsOf(delivery: Template): readonly Widget[] {
  const [resource] = Object.values(delivery.findResources('AWS::CloudWatch::Dashboard'));
  const { DashboardBody } = dashboardSchema.parse(resource?.Properties);
  const text = DashboardBody['Fn::Join'][1].map((part) => (typeof part === 'string' ? part : '…')).join('');
  return bodySchema.parse(JSON.parse(text)).widgets;
}

/** The metrics of a widget, without those that a search finds. */
export function metricsOf(widget: Widget): readonly NamedMetric[] {
  if (widget.type === 'text') return [];
  return widget.properties.metrics.flatMap((entry) => {
    const [namespace, name, ...rest] = entry.filter((part) => typeof part === 'string');
    if (namespace === undefined || name === undefined) return [];
    const pairs = rest.flatMap((key, index) => (index % 2 === 0 ? [[key, rest[index + 1] ?? '']] : []));
    return [{ namespace, name, dimensions: Object.fromEntries(pairs) }];
  });
}

/** The searches of a widget. */
export function searchesOf(widget: Widget): readonly string[] {
  if (widget.type === 'text') return [];
  const expressions = widget.properties.metrics.flat().flatMap((part) => {
    const parsed = z.object({ expression: z.string() }).safeParse(part);
    return parsed.success ? [parsed.data.expression] : [];
  });
  return expressions.filter((expression) => expression.startsWith('SEARCH('));
}
