import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { IntakeConfig } from './config.ts';

/** Sends messages to the service as the Run engine does. */
export type Intake = ReturnType<typeof createIntake>;

/**
 * A local queue accepts any credential; for SQS, the credentials come from the environment.
 *
 * @param onSend called before each message
 */
export function createIntake(config: IntakeConfig, onSend: (message: object) => void) {
  const client = new SQSClient({
    region: config.region,
    ...(config.endpoint === undefined
      ? {}
      : {
          endpoint: config.endpoint,
          useQueueUrlAsEndpoint: false,
          credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
        }),
  });
  return {
    customerId: config.customer_id,
    otherCustomerId: config.other_customer_id,
    put: async (message: object): Promise<void> => {
      onSend(message);
      await client.send(
        new SendMessageCommand({ QueueUrl: config.queue_url, MessageBody: JSON.stringify(message) }),
      );
    },
    close: () => client.destroy(),
  };
}
