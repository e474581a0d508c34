import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

const sqs = new SQSClient();

/** Tells the webhook service that a Run has settled, which sends `run.completed` to the customer's endpoints. */
export async function handler({ customerId, run }) {
  const message = { type: 'run.settled', customer_id: customerId, run };
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: process.env.INTAKE_QUEUE_URL,
      MessageBody: JSON.stringify(message),
      MessageGroupId: customerId,
    }),
  );
}
