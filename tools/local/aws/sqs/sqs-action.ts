import { z } from 'zod';
import { SqsError } from './sqs-error.ts';

/** What a request says besides its body. */
export type SqsCaller = {
  /** Header `x-amzn-trace-id`. */
  readonly trace: string | undefined;
  /** Aborted when the caller no longer waits for the response. */
  readonly signal: AbortSignal | undefined;
};

/** Makes its changes before it returns, except for a long poll that finds no message at first. */
export type SqsAction = (input: unknown, caller: SqsCaller) => unknown;

/** SQS's limit of entries and messages per call. */
export const maxBatchSize = 10;

export function action<Shape extends z.ZodRawShape>(
  shape: Shape,
  run: (input: z.infer<z.ZodObject<Shape>>, caller: SqsCaller) => unknown,
): SqsAction {
  const schema = z.object(shape);
  return (input, caller) => run(parseInput(schema, input), caller);
}

/** An entry that is refused does not affect the others. */
export function batchAction<Shape extends z.ZodRawShape>(
  entrySchema: z.ZodObject<Shape>,
  prepare: (
    url: string,
    entries: readonly z.infer<z.ZodObject<Shape>>[],
    caller: SqsCaller,
  ) => (entry: z.infer<z.ZodObject<Shape>>) => object,
): SqsAction {
  const schema = z.object({
    QueueUrl: z.string(),
    Entries: z.array(z.looseObject({ Id: z.string().regex(/^[\w-]{1,80}$/) })),
  });
  return (input, caller) => {
    const { QueueUrl, Entries } = parseInput(schema, input);
    checkEntries(Entries.map(({ Id }) => Id));
    const entries = Entries.map((entry) => parseInput(entrySchema, entry));
    const run = prepare(QueueUrl, entries, caller);
    const Successful: object[] = [];
    const Failed: object[] = [];
    for (const [index, entry] of entries.entries()) {
      const Id = Entries[index]?.Id;
      try {
        Successful.push({ Id, ...run(entry) });
      } catch (error) {
        if (!(error instanceof SqsError)) throw error;
        Failed.push({ Id, SenderFault: true, Code: error.code, Message: error.message });
      }
    }
    return { Successful, Failed };
  };
}

function checkEntries(ids: readonly string[]): void {
  if (ids.length === 0) throw new SqsError('EmptyBatchRequest', 'There should be at least one entry.');
  if (ids.length > maxBatchSize) {
    throw new SqsError('TooManyEntriesInBatchRequest', `Maximum number of entries is ${maxBatchSize}.`);
  }
  if (new Set(ids).size < ids.length) {
    throw new SqsError('BatchEntryIdsNotDistinct', 'Two or more entries have the same Id.');
  }
}

function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new SqsError('InvalidParameterValue', z.prettifyError(parsed.error));
}
