import { type StackFile, stackFileSchema } from '../../../tools/local/stack/stack-file.ts';

const nowhere = 'http://127.0.0.1:1';

/** A stack file at whose addresses nothing answers. */
export function buildStackFile(given: Partial<StackFile> = {}): StackFile {
  return stackFileSchema.parse({
    api_url: nowhere,
    docs_url: nowhere,
    region: 'us-east-1',
    table_name: 'webhooks-test',
    intake_queue_url: nowhere,
    delivery_queue_url: nowhere,
    slow_delivery_queue_url: nowhere,
    replay_queue_url: nowhere,
    replay_dead_letter_queue_url: nowhere,
    intake_dead_letter_queue_url: nowhere,
    delivery_dead_letter_queue_url: nowhere,
    endpoints: { dynamodb: nowhere, sqs: nowhere, scheduler: nowhere, kms: nowhere, lambda: nowhere },
    operator_functions: '{}',
    customers: [{ id: 'cus_1', api_key: 'key_1' }],
    receiver: {
      origin: 'https://receiver.localhost:9443',
      inbox_url: `${nowhere}/inbox`,
      ca_file: '/ca.pem',
    },
    listen: { origins: [], cert_file: '/cert.pem', key_file: '/key.pem' },
    issuer: { url: nowhere, audience: nowhere },
    ...given,
  });
}
