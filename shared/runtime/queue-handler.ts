import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import type { MessageResult, Refusal, TimeLeft } from '#shared/operations/ports.ts';
import { jsonDepth } from './json-depth.ts';
import { plainFault } from './plain-fault.ts';
import { describe, logger } from './telemetry.ts';

type Result = MessageResult | Refusal;

type Deps<T> = {
  /** Moves a message that can never be processed out of the way, with the reason. */
  readonly sendToDeadLetters: (body: string, reason: string) => Promise<void>;
  /** A message that it refuses is moved out of the way too; that it does so is its own to report. */
  readonly process: (messages: readonly T[], timeLeft: TimeLeft) => Promise<readonly Result[]>;
};

/**
 * Wraps an operation that works on a batch of messages, as a partial batch response: only messages that are to come
 * again are reported. Malformed ones go to the dead-letter queue at once, the others are not held up by them.
 */
export function queueHandler<T>(schema: z.ZodType<T>, deps: Deps<T>) {
  return async (
    event: SQSEvent,
    context: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<SQSBatchResponse> => {
    const timeLeft = () => context.getRemainingTimeInMillis();
    const parsed = event.Records.map((record) => ({ record, ...parseMessage(schema, record.body) }));
    const good = parsed.flatMap(({ record, value }) => (value === undefined ? [] : [{ record, value }]));
    const bad = parsed.flatMap(({ record, reason }) => (reason === undefined ? [] : [{ record, reason }]));
    const [results, moved] = await Promise.all([
      good.length === 0
        ? []
        : processGuarded(
            deps,
            good.map(({ value }) => value),
            timeLeft,
          ),
      Promise.all(bad.map(({ record, reason }) => moveMalformed(deps, record, reason))),
    ]);
    const settled = await Promise.all(
      good.map(async ({ record }, index) => isSettled(deps, record, results[index])),
    );
    const again = [
      ...good.filter((_, index) => !settled[index]),
      ...bad.filter((_, index) => moved[index] === false),
    ];
    return { batchItemFailures: again.map(({ record }) => ({ itemIdentifier: record.messageId })) };
  };
}

/** An operation that fails as a whole gives every message another round. */
async function processGuarded<T>(
  deps: Deps<T>,
  messages: readonly T[],
  timeLeft: TimeLeft,
): Promise<readonly Result[]> {
  try {
    return await deps.process(messages, timeLeft);
  } catch (cause) {
    logger.error('step.failed', { step: 'process', cause: describe(cause) });
    return messages.map(() => 'retry');
  }
}

type Parsed<T> =
  | { readonly value: T; readonly reason?: never }
  | { readonly value?: never; readonly reason: string };

/** JSON of any depth can be parsed, but not written again to be stored: that takes a stack frame for each level. */
const maxDepth = 100;

function parseMessage<T>(schema: z.ZodType<T>, body: string): Parsed<T> {
  if (jsonDepth(body) > maxDepth)
    return { reason: `The message is nested more than ${maxDepth} levels deep` };
  try {
    const parsed = schema.safeParse(JSON.parse(body), { error: plainFault });
    return parsed.success ? { value: parsed.data } : { reason: describeIssues(parsed.error) };
  } catch {
    return { reason: 'The message is not JSON' };
  }
}

/** Where a message does not match and what is wanted there; nothing of what it says. */
function describeIssues(error: z.ZodError): string {
  return error.issues
    .map((issue) => `${issue.path.map(String).join('.') || 'message'}: ${issue.message}`)
    .join('; ');
}

/** Whether a message is not to come again. */
async function isSettled<T>(deps: Deps<T>, record: SQSRecord, result: Result | undefined): Promise<boolean> {
  return typeof result === 'object' ? moveAway(deps, record, result.refused) : result === 'done';
}

async function moveMalformed<T>(deps: Deps<T>, record: SQSRecord, reason: string): Promise<boolean> {
  const moved = await moveAway(deps, record, reason);
  if (moved) logger.warn('message.refused', { message_id: record.messageId, reason });
  return moved;
}

async function moveAway<T>(deps: Deps<T>, record: SQSRecord, reason: string): Promise<boolean> {
  try {
    await deps.sendToDeadLetters(record.body, reason);
    return true;
  } catch (cause) {
    logger.error('step.failed', {
      step: 'dead-letter',
      message_id: record.messageId,
      cause: describe(cause),
    });
    return false;
  }
}
