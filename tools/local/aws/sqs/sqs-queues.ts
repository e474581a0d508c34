import { z } from 'zod';
import { localAccount, localRegion } from '../../template/identities.ts';
import { sizeOf } from './message.ts';
import {
  changeVisibility,
  deleteSchema,
  only,
  receive,
  receiveSchema,
  send,
  sendSchema,
  visibilitySchema,
} from './message-actions.ts';
import { Queue, type QueueAttributes } from './queue.ts';
import type { QueueDatabase } from './queue-database.ts';
import { action, batchAction, type SqsAction } from './sqs-action.ts';
import { SqsError } from './sqs-error.ts';

const maxBatchBytes = 1_048_576;

const queueUrl = z.string();
const attributesSchema = z.record(z.string(), z.string());

/** Queues of one account and region, and the actions on them that programs of this project use. */
export class SqsQueues {
  readonly #queues = new Map<string, Queue>();
  readonly #origin: string;
  readonly #database: QueueDatabase | undefined;

  /** @param origin queue URLs start with it */
  constructor(origin: string, database: QueueDatabase | undefined) {
    this.#origin = origin;
    this.#database = database;
    for (const { name, attributes } of database?.queues() ?? []) this.#create(name, attributes);
    for (const { queue, message } of database?.messages() ?? []) this.#queues.get(queue)?.restore(message);
  }

  readonly actions: Readonly<Record<string, SqsAction>> = {
    CreateQueue: action(
      { QueueName: z.string().regex(/^[\w-]{1,80}$/), Attributes: attributesSchema.default({}) },
      (input) => {
        const found = this.#queues.get(input.QueueName);
        if (found === undefined) this.#create(input.QueueName, input.Attributes);
        return { QueueUrl: this.#urlOf(input.QueueName) };
      },
    ),
    GetQueueUrl: action({ QueueName: z.string() }, ({ QueueName }) => ({
      QueueUrl: this.#urlOf(this.#find(QueueName).name),
    })),
    GetQueueAttributes: action(
      { QueueUrl: queueUrl, AttributeNames: z.array(z.string()).default(['All']) },
      ({ QueueUrl, AttributeNames }) => ({
        Attributes: only(this.#find(QueueUrl).attributes, AttributeNames),
      }),
    ),
    SetQueueAttributes: action({ QueueUrl: queueUrl, Attributes: attributesSchema }, (input) => {
      this.#find(input.QueueUrl).setAttributes(input.Attributes);
      return {};
    }),
    SendMessage: action({ QueueUrl: queueUrl, ...sendSchema.shape }, ({ QueueUrl, ...message }, caller) =>
      send(this.#find(QueueUrl), message, caller),
    ),
    SendMessageBatch: batchAction(sendSchema, (QueueUrl, entries, caller) => {
      const queue = this.#find(QueueUrl);
      const sizes = entries.map(({ MessageBody, MessageAttributes }) =>
        sizeOf(MessageBody, MessageAttributes),
      );
      if (sizes.reduce((sum, size) => sum + size, 0) > maxBatchBytes) {
        throw new SqsError(
          'BatchRequestTooLong',
          `Batch requests cannot be longer than ${maxBatchBytes} bytes.`,
        );
      }
      return (entry) => send(queue, entry, caller);
    }),
    ReceiveMessage: action(
      { QueueUrl: queueUrl, ...receiveSchema.shape },
      ({ QueueUrl, ...input }, { signal }) => receive(this.#find(QueueUrl), input, signal),
    ),
    DeleteMessage: action({ QueueUrl: queueUrl, ...deleteSchema.shape }, ({ QueueUrl, ReceiptHandle }) => {
      this.#find(QueueUrl).delete(ReceiptHandle);
      return {};
    }),
    DeleteMessageBatch: batchAction(deleteSchema, (QueueUrl) => {
      const queue = this.#find(QueueUrl);
      return ({ ReceiptHandle }) => {
        queue.delete(ReceiptHandle);
        return {};
      };
    }),
    ChangeMessageVisibility: action(
      { QueueUrl: queueUrl, ...visibilitySchema.shape },
      ({ QueueUrl, ...input }) => changeVisibility(this.#find(QueueUrl), input),
    ),
    ChangeMessageVisibilityBatch: batchAction(visibilitySchema, (QueueUrl) => {
      const queue = this.#find(QueueUrl);
      return (entry) => changeVisibility(queue, entry);
    }),
  };

  /** Answers every long poll at once. */
  endPolls(): void {
    for (const queue of this.#queues.values()) queue.endPolls();
  }

  #create(name: string, attributes: QueueAttributes): void {
    const arn = `arn:aws:sqs:${localRegion}:${localAccount}:${name}`;
    const findByArn = (wanted: string) => [...this.#queues.values()].find((queue) => queue.arn === wanted);
    const queue = new Queue({ name, arn, database: this.#database, findByArn });
    queue.setAttributes(attributes);
    this.#queues.set(name, queue);
  }

  #urlOf(name: string): string {
    return `${this.#origin}/${localAccount}/${name}`;
  }

  /** By its name or its URL, of which only the end counts: a proxy or an earlier process has another address. */
  #find(nameOrUrl: string): Queue {
    const queue = this.#queues.get(nameOrUrl.split('/').at(-1) ?? '');
    if (queue !== undefined) return queue;
    throw new SqsError('QueueDoesNotExist', 'The specified queue does not exist.', 'NonExistentQueue');
  }
}
