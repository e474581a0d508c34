import * as z from 'zod';

/** One value of a metric, as CloudWatch takes it out of a log line. */
export type Datum = {
  readonly namespace: string;
  readonly name: string;
  readonly unit: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly value: number;
  /** Epoch milliseconds. */
  readonly at: number;
};

export type EmbeddedLine = {
  readonly data: readonly Datum[];
  /** The members that are there for readers: without metadata and values of metrics. */
  readonly facts: Readonly<Record<string, unknown>>;
};

/** The units of CloudWatch that are neither bytes, bits nor rates. */
const units = ['Seconds', 'Microseconds', 'Milliseconds', 'Percent', 'Count', 'None'] as const;

/** Names consist of printable ASCII, and not of spaces only. */
const name = (maximum: number) =>
  z
    .string()
    .min(1)
    .max(maximum)
    .regex(/^[\x20-\x7e]*[\x21-\x7e][\x20-\x7e]*$/);

const directive = z.strictObject({
  Namespace: name(255).refine((text) => !text.startsWith('AWS/'), 'is reserved for AWS'),
  Dimensions: z.array(z.array(name(250)).max(30)).min(1),
  Metrics: z
    .array(
      z.strictObject({
        Name: name(255),
        Unit: z.enum(units).default('None'),
        StorageResolution: z.union([z.literal(1), z.literal(60)]).optional(),
      }),
    )
    .min(1)
    .max(100),
});

const embedded = z.looseObject({
  _aws: z.strictObject({
    Timestamp: z.int().min(1e12, 'must be in milliseconds').max(1e13),
    CloudWatchMetrics: z.array(directive),
  }),
});

const dimensionValue = name(1024).refine((text) => !text.startsWith(':'), 'must not begin with a colon');
const metricValue = z.union([z.number(), z.array(z.number()).max(100)]);

/**
 * Reads one log line as CloudWatch does by the specification of the embedded metric format.
 *
 * @returns no data for a line without metrics
 * @throws when CloudWatch would drop the line, a metric or a dimension without a word
 */
export function readEmbedded(text: string): EmbeddedLine {
  if (Buffer.byteLength(text) > 256 * 1024) throw new Error('The line has more than 256 KB');
  const line = z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  if (!('_aws' in line)) return { data: [], facts: line };
  const { _aws: metadata } = embedded.parse(line);
  const data = metadata.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((names) => {
      const dimensions = Object.fromEntries(names.map((name) => [name, dimensionValue.parse(line[name])]));
      return Metrics.flatMap(({ Name, Unit }) =>
        [metricValue.parse(line[Name])].flat().map(
          (value): Datum => ({
            namespace: Namespace,
            name: Name,
            unit: Unit,
            dimensions,
            value,
            at: metadata.Timestamp,
          }),
        ),
      );
    }),
  );
  const measured = new Set(['_aws', ...data.map((datum) => datum.name)]);
  return { data, facts: Object.fromEntries(Object.entries(line).filter(([key]) => !measured.has(key))) };
}
