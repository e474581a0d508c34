import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod/mini';
import { maxMessageDepth } from '#shared/contract/limits.ts';
import type { MetricKey } from '#shared/contract/metrics.ts';
import type { Later, MessageResult, Refusal, TimeLeft } from '#shared/operations/ports.ts';
import { jsonDepth } from './json-depth.ts';
import { messageFaults, plainFault } from './plain-fault.ts';
import { type ReturnDeps, returnRecords } from './return-records.ts';
import { report } from './telemetry.ts';

type Result = MessageResult | Later | Refusal;

type Deps<T> = ReturnDeps & {
  /** Moves a message that can never be processed to the dead-letter queue, with the reason. */
  readonly sendToDeadLetters: (body: string, reason: string) => Promise<void>;
  /** Counts the malformed messages. Default: they are only logged. */
  readonly refusedMetric?: MetricKey;
  /** Refused messages are moved to the dead-letter queue too; `process` reports them itself. */
  readonly process: (messages: readonly T[], timeLeft: TimeLeft) => Promise<readonly Result[]>;
};

/**
 * Wraps an operation on a batch of messages and returns a partial batch response, which names only the messages to
 * retry. These come back within seconds at first, and later after the visibility timeout of their queue. Malformed
 * messages go to the dead-letter queue at once and do not delay the others.
 */
export function queueHandler<T>(schema: z.ZodMiniType<T>, deps: Deps<T>) {
  return async (event: SQSEvent, context: Pick<Context, 'getRemainingTimeInMillis'>): Promise<SQSBatchResponse> => {
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
    const settled = await Promise.all(good.map(async ({ record }, index) => isSettled(deps, record, results[index])));
    const later = good.flatMap(({ record }, index) => {
      const result = results[index];
      return isLater(result) ? [{ record, later: result }] : [];
    });
    const failed = [
      ...good.filter((_, index) => !settled[index] && !isLater(results[index])),
      ...bad.filter((_, index) => moved[index] === false),
    ].map(({ record }) => record);
    await returnRecords(deps, failed, later);
    const again = [...failed, ...later.map(({ record }) => record)];
    return { batchItemFailures: again.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
}

/** If the operation fails as a whole, every message is retried. */
async function processGuarded<T>(
  deps: Deps<T>,
  messages: readonly T[],
  timeLeft: TimeLeft,
): Promise<readonly Result[]> {
  try {
    return await deps.process(messages, timeLeft);
  } catch (cause) {
    report({ name: 'step.failed', step: 'process', cause });
    return messages.map(() => 'retry');
  }
}

/** Characters of a reason: a dead letter has room for no more, and CloudWatch reads no metric in a huge line. */
const maxReason = 1_000;

type Parsed<T> = { readonly value: T; readonly reason?: never } | { readonly value?: never; readonly reason: string };

function parseMessage<T>(schema: z.ZodMiniType<T>, body: string): Parsed<T> {
  if (jsonDepth(body) > maxMessageDepth)
    return { reason: `The message is nested more than ${maxMessageDepth} levels deep` };
  try {
    const parsed = schema.safeParse(JSON.parse(body), { error: plainFault });
    if (parsed.success) return { value: parsed.data };
    return { reason: messageFaults(parsed.error).join('; ').slice(0, maxReason) };
  } catch {
    return { reason: 'The message is not JSON: it must be one JSON object' };
  }
}

/** Whether the message is finished and must not be retried. */
async function isSettled<T>(deps: Deps<T>, record: SQSRecord, result: Result | undefined): Promise<boolean> {
  if (typeof result !== 'object') return result === 'done';
  return 'refused' in result && moveAway(deps, record, result.refused);
}

function isLater(result: Result | undefined): result is Later {
  return typeof result === 'object' && 'laterSeconds' in result;
}

async function moveMalformed<T>(deps: Deps<T>, record: SQSRecord, reason: string): Promise<boolean> {
  const { refusedMetric: metric } = deps;
  const { messageId } = record;
  const moved = await moveAway(deps, record, reason);
  if (moved) report({ name: 'message.refused', messageId, reason, ...(metric && { metric }) });
  return moved;
}

async function moveAway<T>(deps: Deps<T>, record: SQSRecord, reason: string): Promise<boolean> {
  try {
    await deps.sendToDeadLetters(record.body, reason);
    return true;
  } catch (cause) {
    report({ name: 'step.failed', step: 'dead-letter', messageId: record.messageId, cause });
    return false;
  }
}
