import { SendMessageCommand, type SendMessageCommandInput, type SQSClient } from '@aws-sdk/client-sqs';

/** What SQS allows for a message, with names, types and values of its attributes, in bytes. */
export const maxMessageBytes = 1024 * 1024;

const maxReasonBytes = 1000;
/** Room for one character, whichever it is: SQS takes no empty attribute. */
const minReasonBytes = 4;
const reasonType = 'String';
const reasonOverhead = Buffer.byteLength('reason') + Buffer.byteLength(reasonType);

/**
 * Moves a message that can never be processed to the dead-letter queue at once, with the reason beside it. The body
 * always stays whole; the reason is cut to the room that it leaves.
 *
 * @param reason why, without any part of the message
 */
export function sendToDeadLetters(client: SQSClient, queueUrl: string) {
  return async (body: string, reason: string): Promise<void> => {
    await client.send(
      new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body, ...withReason(body, reason) }),
    );
  };
}

/**
 * Whether a body leaves no room for a reason. Where a message has none, it is not known why it is a dead letter: it may
 * be malformed, or have been tried too often.
 */
export function leavesNoRoomForReason(body: string): boolean {
  return roomForReason(body) < minReasonBytes;
}

/** What of a reason fits beside a body, or `null` when nothing does. */
export function fittingReason(body: string, reason: string): string | null {
  if (leavesNoRoomForReason(body)) return null;
  const room = Math.min(maxReasonBytes, roomForReason(body));
  const { read } = new TextEncoder().encodeInto(reason, new Uint8Array(room));
  return reason.slice(0, read);
}

function withReason(body: string, reason: string): Pick<SendMessageCommandInput, 'MessageAttributes'> {
  const StringValue = fittingReason(body, reason);
  if (StringValue === null) return {};
  return { MessageAttributes: { reason: { DataType: reasonType, StringValue } } };
}

function roomForReason(body: string): number {
  return maxMessageBytes - Buffer.byteLength(body) - reasonOverhead;
}
