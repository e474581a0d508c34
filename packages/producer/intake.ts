import { maxMessageDepth } from '#shared/contract/limits.ts';
import { busEvent } from '#shared/contract/messages/bus-event.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { queueJson } from '#shared/contract/messages/queue-json.ts';
import { errorMessage } from '#shared/domain/error-message.ts';
import { jsonDepth } from '#shared/runtime/json-depth.ts';
import { messageFaults, plainFault } from '#shared/runtime/plain-fault.ts';
import type { IntakeMessage } from './messages.ts';

export type * from './messages.ts';

/**
 * The service would refuse a message, the one at `index` of the list. `problems` has one sentence for each fault; of a
 * list with more than 100 items, for those of the first wrong one.
 */
export class InvalidIntakeMessage extends Error {
  override readonly name = 'InvalidIntakeMessage';
  readonly index: number;
  readonly problems: readonly string[];

  constructor(index: number, problems: readonly string[]) {
    super(`The message at index ${index} is not valid: ${problems.join('; ')}`);
    this.index = index;
    this.problems = problems;
  }
}

/** One entry of `SendMessageBatch`. */
export type QueueEntry = {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId: string;
};

/** One entry of `PutEvents`. */
export type BusEntry = {
  readonly EventBusName: string;
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
};

/** The part of the AWS SDK's aggregated client `SQS` that is used. */
export type QueuePort = {
  readonly sendMessageBatch: (input: { readonly QueueUrl: string; readonly Entries: QueueEntry[] }) => Promise<{
    readonly Failed?:
      | readonly {
          readonly Id: string | undefined;
          readonly Code: string | undefined;
          readonly Message?: string | undefined;
          readonly SenderFault: boolean | undefined;
        }[]
      | undefined;
  }>;
};

/** A message that was not sent, or of which that is unknown. It is safe to send it again. */
export type NotSent = {
  readonly message: IntakeMessage;
  /** The code of SQS, or the name of the error when the whole request failed. */
  readonly code: string;
  readonly reason: string;
  /** Whether SQS refused the message itself, so that sending it again would fail again. */
  readonly senderFault: boolean;
};

export type SendResult = { readonly sent: number; readonly failed: readonly NotSent[] };

/** Limits of one request, and thus of one message. */
const queueLimits = { items: 10, bytes: 1_048_576 } as const;
const busLimits = { items: 10, bytes: 1_000_000 } as const;

/**
 * Checks messages and splits them into requests of `SendMessageBatch`, in order. The message group is the customer, so
 * that one customer's burst does not hold up the others.
 *
 * @throws InvalidIntakeMessage when the service would refuse one of them
 */
export function queueBatches(messages: readonly IntakeMessage[]): readonly QueueEntry[][] {
  return checkedBatches(messages).map(toEntries);
}

/**
 * Checks messages and splits them into requests of `PutEvents`, in order.
 *
 * @param eventBus ARN or name of the stage's bus
 * @throws InvalidIntakeMessage when the service would refuse one of them
 * @throws TypeError when the bus is missing
 */
export function busBatches(messages: readonly IntakeMessage[], eventBus: string): readonly BusEntry[][] {
  // EventBridge would take such events on the bus of the account, from which nothing leads to the intake.
  if (!eventBus) throw new TypeError('The event bus is missing: give the output EventBusArn of the stack');
  const frame = { EventBusName: eventBus, Source: busEvent.source, DetailType: busEvent.detailType };
  const frameBytes = busEvent.source.length + busEvent.detailType.length;
  const checked = messages
    .map((message, index) => checkMessage(message, index, busLimits.bytes - frameBytes))
    .map((one) => ({ ...one, bytes: one.bytes + frameBytes }));
  return batchesOf(checked, busLimits).map((batch) => batch.map(({ json }) => ({ ...frame, Detail: json })));
}

/**
 * Sends messages to the intake queue, ten in a request, one request after the other. Nothing is sent again: what failed
 * is in the result.
 *
 * @throws InvalidIntakeMessage when the service would refuse one of them; then none is sent
 * @throws TypeError when the client is another one, or the address of the queue is missing
 */
export async function sendMessages(
  queue: QueuePort,
  queueUrl: string,
  messages: readonly IntakeMessage[],
): Promise<SendResult> {
  // Failed messages are sent again, which would help here no more than the first time.
  if (typeof queue.sendMessageBatch !== 'function')
    throw new TypeError('The client has no sendMessageBatch: give new SQS() of @aws-sdk/client-sqs, not an SQSClient');
  if (!queueUrl) throw new TypeError('The queue is missing: give the output IntakeQueueUrl of the stack');
  const failed: NotSent[] = [];
  for (const batch of checkedBatches(messages)) failed.push(...(await sendBatch(queue, queueUrl, batch)));
  return { sent: messages.length - failed.length, failed };
}

function checkedBatches(messages: readonly IntakeMessage[]): readonly (readonly CheckedMessage[])[] {
  return batchesOf(
    messages.map((message, index) => checkMessage(message, index, queueLimits.bytes)),
    queueLimits,
  );
}

function toEntries(batch: readonly CheckedMessage[]): QueueEntry[] {
  return batch.map(({ message, json }, index) => ({
    Id: String(index),
    MessageBody: json,
    MessageGroupId: message.customer_id,
  }));
}

async function sendBatch(
  queue: QueuePort,
  queueUrl: string,
  batch: readonly CheckedMessage[],
): Promise<readonly NotSent[]> {
  try {
    const { Failed = [] } = await queue.sendMessageBatch({ QueueUrl: queueUrl, Entries: toEntries(batch) });
    return Failed.flatMap(({ Id, Code = 'Unknown', Message = '', SenderFault = false }) => {
      const message = batch[Number(Id)]?.message;
      return message === undefined ? [] : [{ message, code: Code, reason: Message, senderFault: SenderFault }];
    });
  } catch (error) {
    const code = error instanceof Error ? error.name : 'Error';
    return batch.map(({ message }) => ({ message, code, reason: errorMessage(error), senderFault: false }));
  }
}

/**
 * Splits a list in order into batches that each fit into one request.
 *
 * @param limits.bytes no single item may be larger
 */
function batchesOf<Item extends { readonly bytes: number }>(
  items: readonly Item[],
  limits: { readonly items: number; readonly bytes: number },
): readonly (readonly Item[])[] {
  const batches: Item[][] = [];
  let open: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    if (open.length === limits.items || (open.length > 0 && bytes + item.bytes > limits.bytes)) {
      batches.push(open);
      open = [];
      bytes = 0;
    }
    open.push(item);
    bytes += item.bytes;
  }
  return open.length === 0 ? batches : [...batches, open];
}

/** A checked message as JSON. */
type CheckedMessage = {
  readonly message: IntakeMessage;
  readonly json: string;
  readonly bytes: number;
};

/**
 * Checks a message as the service does, and writes it as JSON, unchanged. U+FFFE and U+FFFF, which SQS refuses, become
 * escapes: the service takes them in texts for people.
 *
 * @throws InvalidIntakeMessage
 */
function checkMessage(message: IntakeMessage, index: number, maxBytes: number): CheckedMessage {
  const json = jsonOf(message, index);
  const depth = jsonDepth(json);
  const parsed = depth > maxMessageDepth ? null : intakeMessage.safeParse(JSON.parse(json), { error: plainFault });
  const bytes = new TextEncoder().encode(json).length;
  const problems = [
    ...(parsed?.error === undefined ? [] : messageFaults(parsed.error)),
    ...(depth > maxMessageDepth ? [`message: is nested ${depth} levels deep, at most ${maxMessageDepth}`] : []),
    ...(bytes > maxBytes ? [`message: has ${bytes} bytes as JSON, at most ${maxBytes}`] : []),
  ];
  if (problems.length > 0) throw new InvalidIntakeMessage(index, problems);
  return { message, json, bytes };
}

function jsonOf(message: IntakeMessage, index: number): string {
  try {
    return queueJson(message);
  } catch {
    throw new InvalidIntakeMessage(index, ['message: must be JSON, without a BigInt, a circle or thousands of levels']);
  }
}
