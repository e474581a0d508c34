import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { type NoticeOrigin, toNoticeMessage } from '#shared/contract/messages/notice-message.ts';
import type { SendNotice } from '#shared/operations/delivery/announce-changes.ts';
import type { Table } from '../clients.ts';
import { readCustomer } from '../table/credentials/customers.ts';

/** Puts notices on the queue whose messages a pipe passes to the operator. */
export function sendNotice(client: SQSClient, QueueUrl: string, origin: NoticeOrigin, table: Table): SendNotice {
  return async (endpoint, notice) => {
    const customer = await readCustomer(table, endpoint.customerId);
    const MessageBody = JSON.stringify(toNoticeMessage({ endpoint, customer }, notice, origin));
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  };
}
