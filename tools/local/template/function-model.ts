import { z } from 'zod';

const functionSchema = z.object({
  Description: z.string().optional(),
  Handler: z.string(),
  Timeout: z.number().default(3),
  MemorySize: z.number().default(128),
  RecursiveLoop: z.enum(['Allow', 'Terminate']).default('Terminate'),
  Code: z.object({ S3Key: z.string() }),
  Environment: z.object({ Variables: z.record(z.string(), z.string()).default({}) }).optional(),
});

const mappingSchema = z.object({
  FunctionName: z.string(),
  EventSourceArn: z.string(),
  Enabled: z.boolean().default(true),
  BatchSize: z.number().default(10),
  MaximumBatchingWindowInSeconds: z.number().default(0),
  FunctionResponseTypes: z.array(z.string()).default([]),
  ScalingConfig: z.object({ MaximumConcurrency: z.number().optional() }).optional(),
});

const ruleSchema = z.object({
  ScheduleExpression: z.string().optional(),
  State: z.string().default('ENABLED'),
  Targets: z.array(z.object({ Arn: z.string() })).default([]),
});

export type FunctionModel = {
  readonly name: string;
  readonly arn: string;
  /** Description in the template; default: the name. */
  readonly title: string;
  /** As in the template: `<file without extension>.<export>`. */
  readonly handler: string;
  /** Folder of the built bundle. */
  readonly codeDirectory: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  /** Whether a chain of messages may invoke it without limit. */
  readonly allowsLoops: boolean;
  readonly environment: Readonly<Record<string, string>>;
};

/** Which queue feeds which function. */
export type EventSourceMapping = {
  readonly queueArn: string;
  readonly functionArn: string;
  readonly batchSize: number;
  readonly batchingWindowSeconds: number;
  readonly reportsBatchItemFailures: boolean;
  /** Maximum concurrent batches, if the template limits them. */
  readonly maximumConcurrency: number | undefined;
};

/** A function that is invoked at a fixed rate. */
export type ScheduleRule = {
  readonly arn: string;
  readonly functionArn: string;
  readonly intervalSeconds: number;
};

export function functionModel(
  names: { readonly name: string; readonly arn: string },
  properties: unknown,
  assetPaths: ReadonlyMap<string, string>,
): FunctionModel {
  const parsed = functionSchema.parse(properties);
  const codeDirectory = assetPaths.get(parsed.Code.S3Key);
  if (codeDirectory === undefined) {
    throw new Error(
      `Cannot find the bundle of function "${names.name}": no asset is uploaded as "${parsed.Code.S3Key}"`,
    );
  }
  return {
    ...names,
    title: parsed.Description ?? names.name,
    handler: parsed.Handler,
    codeDirectory,
    timeoutSeconds: parsed.Timeout,
    memoryMegabytes: parsed.MemorySize,
    allowsLoops: parsed.RecursiveLoop === 'Allow',
    environment: parsed.Environment?.Variables ?? {},
  };
}

/** Empty for a disabled mapping and for a source that is not a queue. */
export function eventSourceMappings(
  properties: unknown,
  functions: readonly FunctionModel[],
): EventSourceMapping[] {
  const parsed = mappingSchema.parse(properties);
  if (!parsed.Enabled || !parsed.EventSourceArn.includes(':sqs:')) return [];
  const target = functions.find(
    ({ name, arn }) => parsed.FunctionName === name || parsed.FunctionName === arn,
  );
  if (target === undefined) {
    throw new Error(
      `Cannot map "${parsed.EventSourceArn}": the app has no function "${parsed.FunctionName}"`,
    );
  }
  return [
    {
      queueArn: parsed.EventSourceArn,
      functionArn: target.arn,
      batchSize: parsed.BatchSize,
      batchingWindowSeconds: parsed.MaximumBatchingWindowInSeconds,
      reportsBatchItemFailures: parsed.FunctionResponseTypes.includes('ReportBatchItemFailures'),
      maximumConcurrency: parsed.ScalingConfig?.MaximumConcurrency,
    },
  ];
}

/** One entry per function that the rule invokes; empty for a rule without a schedule. */
export function scheduleRules(
  arn: string,
  properties: unknown,
  functions: readonly FunctionModel[],
): ScheduleRule[] {
  const { ScheduleExpression: expression, State: state, Targets: targets } = ruleSchema.parse(properties);
  if (expression === undefined || state !== 'ENABLED') return [];
  const intervalSeconds = rateSeconds(expression);
  return targets
    .filter((target) => functions.some((candidate) => candidate.arn === target.Arn))
    .map((target) => ({ arn, functionArn: target.Arn, intervalSeconds }));
}

function rateSeconds(expression: string): number {
  const match = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression);
  const unit = match?.[2];
  if (match === null || (unit !== 'minute' && unit !== 'hour' && unit !== 'day')) {
    throw new Error(`Cannot run the schedule "${expression}": the local stack knows only rate(...)`);
  }
  return Number(match[1]) * { minute: 60, hour: 3_600, day: 86_400 }[unit];
}
