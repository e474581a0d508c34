import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { deliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import { chunks } from '#shared/domain/chunks.ts';
import { leavesNoRoomForReason } from './send-to-dead-letters.ts';

/** A message received from a dead-letter queue. */
export type DeadLetter = {
  readonly id: string;
  readonly body: string;
  /**
   * Why the message can never be processed; `null` when it was received too often. A message without room for a reason
   * has a text that says so.
   */
  readonly reason: string | null;
  /** Epoch milliseconds. For a message that was received too often: when it was sent to its source queue. */
  readonly sentAt: number;
  /** Includes receives by `peekDeadLetters()`. */
  readonly receiveCount: number;
  readonly groupId: string | null;
  /** Message attributes other than the reason. */
  readonly attributes: Readonly<Record<string, MessageAttributeValue>>;
  readonly receiptHandle: string;
};

/** Maximum number of messages in one SQS request. */
const batchSize = 10;

/** Seconds of long polling, which queries all SQS servers. A short poll may return no messages although some exist. */
const waitTime = 1;

/** Visibility timeout of a peek, in seconds: the messages reappear after it if their release fails. */
const peekTime = 60;

const received = z.object({
  MessageId: z.string(),
  ReceiptHandle: z.string(),
  Body: z.string(),
  Attributes: z.object({
    SentTimestamp: z.coerce.number(),
    ApproximateReceiveCount: z.coerce.number(),
    MessageGroupId: z.optional(z.string()),
  }),
});

/** Receives messages and hides them for `seconds`. An empty list means that no more are visible. */
export function takeDeadLetters(client: SQSClient, queueUrl: string, seconds: number) {
  return async (most: number = batchSize): Promise<readonly DeadLetter[]> => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: Math.min(most, batchSize),
        VisibilityTimeout: seconds,
        WaitTimeSeconds: waitTime,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['SentTimestamp', 'ApproximateReceiveCount', 'MessageGroupId'],
      }),
    );
    return Messages.map(toDeadLetter);
  };
}

/** Makes messages visible again at once. */
export function releaseDeadLetters(client: SQSClient, queueUrl: string) {
  return async (letters: readonly DeadLetter[]): Promise<void> => {
    for (const batch of chunks(letters, batchSize)) {
      const Entries = batch.map(({ receiptHandle }, index) => ({
        Id: String(index),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: 0,
      }));
      await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries }));
    }
  };
}

/**
 * Receives messages until there are `limit` or a wanted one arrives, and makes them visible again at once. Excludes
 * messages that another receiver holds.
 */
export function peekDeadLetters(client: SQSClient, queueUrl: string) {
  const take = takeDeadLetters(client, queueUrl, peekTime);
  return async (
    limit: number,
    isWanted: (letter: DeadLetter) => boolean = () => false,
  ): Promise<readonly DeadLetter[]> => {
    const seen = new Map<string, DeadLetter>();
    try {
      while (seen.size < limit) {
        const taken = await take(limit - seen.size);
        const fresh = taken.filter(({ id }) => !seen.has(id));
        for (const letter of taken) seen.set(letter.id, letter);
        if (fresh.length === 0 || fresh.some(isWanted)) break;
      }
    } finally {
      await releaseDeadLetters(client, queueUrl)([...seen.values()]);
    }
    return [...seen.values()];
  };
}

/** Sends a message again without its reason. A delivery message without a group gets the group of its endpoint. */
export function sendAgain(client: SQSClient, queueUrl: string) {
  return async (letter: DeadLetter): Promise<void> => {
    await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: letter.body,
        MessageAttributes: { ...letter.attributes },
        MessageGroupId: letter.groupId ?? endpointOf(letter.body),
      }),
    );
  };
}

export function deleteDeadLetter(client: SQSClient, queueUrl: string) {
  return async ({ receiptHandle }: DeadLetter): Promise<void> => {
    await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: receiptHandle }));
  };
}

/** A message with a reason is left out of a plain redrive: it may be malformed, and would return at once. */
const noRoom = 'The message leaves no room for its reason: look for message.refused in the log of its function';

function toDeadLetter(message: Message): DeadLetter {
  const { MessageId, ReceiptHandle, Body, Attributes } = received.parse(message);
  const { reason, ...attributes } = message.MessageAttributes ?? {};
  return {
    id: MessageId,
    body: Body,
    reason: reason?.StringValue ?? (leavesNoRoomForReason(Body) ? noRoom : null),
    sentAt: Attributes.SentTimestamp,
    receiveCount: Attributes.ApproximateReceiveCount,
    groupId: Attributes.MessageGroupId ?? null,
    attributes,
    receiptHandle: ReceiptHandle,
  };
}

/** Reads the endpoint from a delivery message. A message that a schedule sent may have lost its group. */
function endpointOf(body: string): string | undefined {
  try {
    return deliveryMessage.safeParse(JSON.parse(body)).data?.webhook_id;
  } catch {
    return undefined;
  }
}
