import { beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import type { EnqueueDeliveries } from '#shared/operations/ports.ts';

export type Received = { readonly body: string; readonly handle: string };

/** A standard queue with dead letters, and what a test may do to it that an operation may not. */
export type QueuePorts = {
  readonly enqueueDeliveries: EnqueueDeliveries;
  /** At most ten messages that are visible now. */
  readonly receive: () => Promise<readonly Received[]>;
  readonly delete: (handle: string) => Promise<void>;
  /** Ends the time for which a message that was received is hidden. */
  readonly release: (handle: string) => Promise<void>;
  readonly deadLetters: () => Promise<readonly string[]>;
};

/** After this many receives a message is dead. */
export const maxReceiveCount = 3;

/** What a queue owes its senders and its consumers. */
export function queueSuite(connect: () => QueuePorts | Promise<QueuePorts>): void {
  let queue: QueuePorts;
  beforeEach(async () => {
    queue = await connect();
  });

  const messages = (count: number): readonly DeliveryMessage[] =>
    Array.from({ length: count }, (_, number) => ({
      customer_id: 'cus_1',
      webhook_id: `whe_${number % 3}`,
      delivery_id: `whd_${String(number).padStart(3, '0')}`,
      attempt: 1,
    }));
  const bodiesOf = (received: readonly Received[]) => received.map(({ body }) => body).sort();
  const receiveAll = async (): Promise<readonly Received[]> => {
    const received = await queue.receive();
    return received.length === 0 ? [] : [...received, ...(await receiveAll())];
  };
  const receiveOne = async (): Promise<Received> => {
    const [received] = await queue.receive();
    if (received === undefined) throw new Error('Nothing is visible');
    return received;
  };

  it('takes any number of messages and gives each once while it is hidden', async () => {
    const sent = messages(23);

    expect(await queue.enqueueDeliveries(sent)).toEqual([]);

    expect(bodiesOf(await receiveAll())).toEqual(sent.map((message) => JSON.stringify(message)).sort());
    expect(await queue.receive()).toEqual([]);
  });

  it('gives at most ten at once', async () => {
    await queue.enqueueDeliveries(messages(15));

    expect((await queue.receive()).length).toBeLessThanOrEqual(10);
  });

  it('gives a message again that was not deleted, and never one that was', async () => {
    await queue.enqueueDeliveries(messages(2));
    const [one, other] = await receiveAll();

    await queue.delete(one?.handle ?? '');
    await Promise.all([one, other].map((received) => queue.release(received?.handle ?? '').catch(() => {})));

    expect(bodiesOf(await receiveAll())).toEqual([other?.body]);
  });

  it('keeps two messages that say the same apart', async () => {
    const [message] = messages(1);
    if (message !== undefined) await queue.enqueueDeliveries([message, message]);

    const received = await receiveAll();
    await queue.delete(received[0]?.handle ?? '');
    await queue.release(received[1]?.handle ?? '');

    expect(received).toHaveLength(2);
    expect(await receiveAll()).toHaveLength(1);
  });

  it(`moves a message to the dead letters instead of giving it more than ${maxReceiveCount} times`, async () => {
    await queue.enqueueDeliveries(messages(1));

    for (let count = 0; count < maxReceiveCount; count += 1) {
      const { handle } = await receiveOne();
      expect(await queue.deadLetters()).toEqual([]);
      await queue.release(handle);
    }

    expect(await queue.receive()).toEqual([]);
    expect(await queue.deadLetters()).toEqual(messages(1).map((message) => JSON.stringify(message)));
  });

  describe('enqueueDeliveries()', () => {
    it('sends nothing when there is nothing to send', async () => {
      expect(await queue.enqueueDeliveries([])).toEqual([]);
      expect(await queue.receive()).toEqual([]);
    });
  });
}
