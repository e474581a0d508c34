import { z } from 'zod';
import { localArn } from './identities.ts';
import type { AppResource } from './intrinsics.ts';

const functionSchema = z.object({
  Description: z.string().optional(),
  Handler: z.string(),
  Timeout: z.number().default(3),
  MemorySize: z.number().default(128),
  RecursiveLoop: z.enum(['Allow', 'Terminate']).default('Terminate'),
  Code: z.object({ S3Key: z.string() }),
  Environment: z.object({ Variables: z.record(z.string(), z.string()) }).optional(),
});

export type FunctionModel = Readonly<ReturnType<typeof functionModel>>;

/** @param assetPaths folder of each asset by its object key */
export function functionModel({ ref: name, arn, properties }: AppResource, assetPaths: ReadonlyMap<string, string>) {
  const { Code, ...given } = functionSchema.parse(properties);
  const codeDirectory = assetPaths.get(Code.S3Key);
  if (codeDirectory === undefined) {
    throw new Error(`Cannot find the bundle of function "${name}": no asset is uploaded as "${Code.S3Key}"`);
  }
  return {
    name,
    arn,
    /** Description in the template; default: the name. */
    title: given.Description ?? name,
    /** As in the template: `<file without extension>.<export>`. */
    handler: given.Handler,
    /** Folder of the built bundle. */
    codeDirectory,
    timeoutSeconds: given.Timeout,
    memoryMegabytes: given.MemorySize,
    /** Whether a chain of messages may invoke it without limit. */
    allowsLoops: given.RecursiveLoop === 'Allow',
    environment: given.Environment?.Variables ?? {},
  };
}

/** Which queue feeds which function. */
export type EventSourceMapping = Readonly<z.infer<typeof eventSourceMappingSchema>>;

export const eventSourceMappingSchema = z
  .object({
    FunctionName: z.string(),
    EventSourceArn: z.string(),
    BatchSize: z.number().default(10),
    MaximumBatchingWindowInSeconds: z.number().default(0),
    FunctionResponseTypes: z.array(z.string()).default([]),
    ScalingConfig: z.object({ MaximumConcurrency: z.number() }).optional(),
  })
  .transform((given) => ({
    queueArn: given.EventSourceArn,
    functionArn: localArn('lambda', `function:${given.FunctionName}`),
    batchSize: given.BatchSize,
    batchingWindowSeconds: given.MaximumBatchingWindowInSeconds,
    reportsBatchItemFailures: given.FunctionResponseTypes.includes('ReportBatchItemFailures'),
    /** Maximum concurrent batches, if the template limits them. */
    maximumConcurrency: given.ScalingConfig?.MaximumConcurrency,
  }));

/** What passes on the messages of a queue, one at a time. */
export type Pipe = Omit<EventSourceMapping, 'functionArn'>;

export function pipeModel({ properties }: AppResource): Pipe {
  const { Source: queueArn } = z.object({ Source: z.string() }).parse(properties);
  const one = { batchSize: 1, batchingWindowSeconds: 0, maximumConcurrency: 1 };
  return { queueArn, ...one, reportsBatchItemFailures: false };
}

/** A function that is invoked at a fixed rate. */
export type ScheduleRule = {
  readonly arn: string;
  readonly functionArn: string;
  readonly intervalSeconds: number;
};

const ruleSchema = z.object({
  ScheduleExpression: z.string().optional(),
  Targets: z.array(z.object({ Arn: z.string() })).default([]),
});

const secondsPer = new Map([
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
]);

/** One entry per function that the rule invokes; empty for a rule without a schedule. */
export function scheduleRules({ arn, properties }: AppResource): ScheduleRule[] {
  const { ScheduleExpression: expression, Targets } = ruleSchema.parse(properties);
  if (expression === undefined) return [];
  const intervalSeconds = rateSeconds(expression);
  return Targets.map(({ Arn }) => ({ arn, functionArn: Arn, intervalSeconds }));
}

function rateSeconds(expression: string): number {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const seconds = secondsPer.get(unit);
  if (seconds === undefined) {
    throw new Error(`Cannot run the schedule "${expression}": the local stack knows only rate(...)`);
  }
  return Number(count) * seconds;
}
