import { SendMessageCommand, type SendMessageCommandInput, type SQSClient } from '@aws-sdk/client-sqs';

/** Maximum size of an SQS message in bytes, including the names, types and values of its attributes. */
export const maxMessageBytes = 1024 * 1024;

const maxReasonBytes = 1000;
/** Room for any one UTF-8 character: SQS refuses an empty attribute. */
const minReasonBytes = 4;
const reasonType = 'String';
const reasonOverhead = Buffer.byteLength('reason') + Buffer.byteLength(reasonType);

/** What SQS refuses in a message, because XML 1.0 excludes it. */
const refusedCharacters = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/**
 * Sends a message that can never be processed to the dead-letter queue, with the reason as an attribute. The body
 * always stays complete; the reason is cut to the remaining room.
 *
 * @param reason contains no part of the message
 */
export function sendToDeadLetters(client: SQSClient, queueUrl: string) {
  return async (body: string, reason: string): Promise<void> => {
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body, ...withReason(body, reason) }));
  };
}

/**
 * Whether a body leaves no room for a reason. A dead letter without a reason may be malformed, or may have been
 * received too often.
 */
export function leavesNoRoomForReason(body: string): boolean {
  return roomForReason(body) < minReasonBytes;
}

/** The part of a reason that SQS takes and that fits beside a body, or `null` when there is no room. */
export function fittingReason(body: string, reason: string): string | null {
  if (leavesNoRoomForReason(body)) return null;
  const room = Math.min(maxReasonBytes, roomForReason(body));
  const text = reason.replace(refusedCharacters, '\uFFFD');
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(room));
  return text.slice(0, read);
}

function withReason(body: string, reason: string): Pick<SendMessageCommandInput, 'MessageAttributes'> {
  const StringValue = fittingReason(body, reason);
  if (StringValue === null) return {};
  return { MessageAttributes: { reason: { DataType: reasonType, StringValue } } };
}

function roomForReason(body: string): number {
  return maxMessageBytes - Buffer.byteLength(body) - reasonOverhead;
}
