import { localAccount } from '../../template/identities.ts';
import { AwsError } from '../aws-api.ts';
import { Queue, type QueueAttributes } from './queue.ts';
import type { QueueDatabase } from './queue-database.ts';

/** Queues of one account and region. */
export class SqsQueues {
  /** Queue URLs start with it. */
  origin = '';
  readonly #queues = new Map<string, Queue>();
  readonly #database: QueueDatabase | undefined;

  constructor(database: QueueDatabase | undefined) {
    this.#database = database;
    for (const { name, attributes } of database?.queues() ?? []) this.create(name, attributes);
    for (const { queue, message } of database?.messages() ?? []) this.#queues.get(queue)?.restore(message);
  }

  /** Does nothing when the queue exists. */
  create(name: string, attributes: QueueAttributes): void {
    if (this.#queues.has(name)) return;
    const findByArn = (wanted: string) => [...this.#queues.values()].find(({ arn }) => arn === wanted);
    const queue = new Queue(name, { database: this.#database, findByArn });
    queue.setAttributes(attributes);
    this.add(queue);
  }

  add(queue: Queue): void {
    this.#queues.set(queue.name, queue);
  }

  urlOf(name: string): string {
    return `${this.origin}/${localAccount}/${name}`;
  }

  /**
   * By its name or its URL, of which only the end counts: a proxy or an earlier process has another address.
   *
   * @throws AwsError QueueDoesNotExist
   */
  find(nameOrUrl: string): Queue {
    const queue = this.#queues.get(nameOrUrl.split('/').at(-1) ?? '');
    if (queue === undefined) throw new AwsError('QueueDoesNotExist', 'The specified queue does not exist.');
    return queue;
  }

  close(): void {
    for (const queue of this.#queues.values()) queue.close();
    this.#database?.close();
  }
}
