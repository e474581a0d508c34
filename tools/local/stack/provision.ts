import { AwsError } from '../aws/aws-api.ts';
import type { QueueModel, TableModel } from '../template/data-model.ts';
import type { CallService } from './service-client.ts';

/** Creates missing tables. */
export async function createTables(call: CallService, tables: readonly TableModel[]): Promise<void> {
  await Promise.all(
    tables.map((table) =>
      call('CreateTable', table).catch((error: unknown) => {
        if (!(error instanceof AwsError) || error.code !== 'ResourceInUseException') throw error;
      }),
    ),
  );
}

/**
 * Creates missing queues, and sets the attributes of the template on every queue: a kept queue may have older
 * attributes.
 */
export async function createQueues(call: CallService, queues: readonly QueueModel[]): Promise<void> {
  await Promise.all(queues.map(({ name }) => call('CreateQueue', { QueueName: name })));
  await Promise.all(
    queues
      .filter(({ attributes }) => Object.keys(attributes).length > 0)
      .map(({ url, attributes }) => call('SetQueueAttributes', { QueueUrl: url, Attributes: attributes })),
  );
}
