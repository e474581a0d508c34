import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { IntakeConfig } from '../config.ts';

/** Sends messages to the service as the Run engine does. For SQS, the credentials come from the environment. */
export function createIntake({ region, endpoint, queue_url, ...customers }: IntakeConfig) {
  const anyCredentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const own = { useQueueUrlAsEndpoint: false, useFipsEndpoint: false, useDualstackEndpoint: false };
  const local = { ...own, credentials: anyCredentials };
  const client = new SQSClient({ region, ...(endpoint === undefined ? {} : { endpoint, ...local }) });
  const sent: object[] = [];
  return {
    customerId: customers.customer_id,
    otherCustomerId: customers.other_customer_id,
    /** Every message of this run. */
    sent,
    put: async (message: object): Promise<void> => {
      sent.push(message);
      await client.send(new SendMessageCommand({ QueueUrl: queue_url, MessageBody: JSON.stringify(message) }));
    },
  };
}
