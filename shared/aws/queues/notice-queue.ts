import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { type NoticeOrigin, toNoticeMessage } from '#shared/contract/messages/notice-message.ts';
import type { SendNotice } from '#shared/operations/delivery/announce-changes.ts';

/** Puts notices on the queue whose messages a pipe passes to the operator. */
export function sendNotice(client: SQSClient, QueueUrl: string, origin: NoticeOrigin): SendNotice {
  return async (endpoint, notice) => {
    const MessageBody = JSON.stringify(toNoticeMessage(endpoint, notice, origin));
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  };
}
