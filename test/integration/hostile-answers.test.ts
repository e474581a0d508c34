import { afterEach, beforeAll, expect, it } from 'vitest';
import { readDelivery, storeDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { deliveryKey } from '#shared/aws/table/keys.ts';
import { maxAttempts } from '#shared/domain/retry-plan.ts';
import { useTable } from '../support/aws/table.ts';
import { itemSize } from '../support/aws/table-item-size.ts';
import { createPostWorld, originOf, type PostWorld } from '../support/http/post-world.ts';
import type { RawReceiverOptions } from '../support/http/raw-receiver.ts';
import { dueFor } from '../support/operations/delivering.ts';
import { tableDelivering } from '../support/operations/table-delivering.ts';
import { buildDelivery, buildEndpoint, hour, startOfTest } from '../support/values/builders.ts';

const { current } = useTable();
let world: PostWorld;
beforeAll(async () => {
  world = await createPostWorld();
});
afterEach(() => world.close());

const mebibyte = 'x'.repeat(1024 * 1024);
const anyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
/** All that a header may hold by the letter, which is far more than text. */
const oddBytes = Buffer.from(anyByte.filter((byte) => byte > 31 && byte !== 127));

/** What a receiver sends, whatever it is asked; `status` is the one to be recorded, if any. */
const answers: readonly (readonly [string, readonly (string | Buffer)[], number | null])[] = [
  ['a reason phrase of one MiB', [`HTTP/1.1 500 ${mebibyte}\r\n\r\n`], null],
  ['a header of one MiB', [`HTTP/1.1 500 No\r\nX-Error: ${mebibyte}\r\n\r\n`], null],
  ['a body of four MiB', ['HTTP/1.1 500 No\r\n\r\n', mebibyte, mebibyte, mebibyte, mebibyte], 500],
  ['no HTTP, one MiB of it', [mebibyte], null],
  ['every byte there is', [anyByte], null],
  ['any odd byte in a header', ['HTTP/1.1 500 No\r\nX-Odd: ', oddBytes, '\r\n\r\n'], 500],
  ['any odd byte in the reason phrase', ['HTTP/1.1 500 ', oddBytes, '\r\n\r\n'], 500],
  ['control characters in a header', ['HTTP/1.1 500 No\r\nX-Odd: a\0b\u0007\u007f\r\n\r\n'], 500],
  ['a header without a name', ['HTTP/1.1 500 No\r\n: nameless\r\n\r\n'], 500],
  ['a header that is continued on the next line', ['HTTP/1.1 500 No\r\nX-A: a\r\n b\r\n\r\n'], 500],
];

function sends(chunks: readonly (string | Buffer)[]): Pick<RawReceiverOptions, 'onData'> {
  return { onData: (socket) => void socket.end(Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)))) };
}

/** A pending delivery to a receiver, and its function. */
async function prepare(options: Pick<RawReceiverOptions, 'onData'>) {
  const receiver = await world.receiver(options);
  const endpoint = buildEndpoint({ url: `${originOf(receiver.port)}/hook` });
  await current().putEndpoints(endpoint);
  const delivery = buildDelivery();
  await storeDelivery(current(), delivery, null);
  return {
    receiver,
    delivery,
    worker: tableDelivering(current(), world.client(receiver.port), startOfTest + 1000),
  };
}

it.each(answers)(
  'a hostile receiver cannot prevent its attempts from being recorded and counted: %s',
  async (_, chunks, status) => {
    const { receiver, delivery, worker } = await prepare(sends(chunks));

    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      expect(await worker.deliver([dueFor(attempt, delivery)])).toEqual(['done']);
      worker.clock.pass(hour);
    }
    await worker.deliver([dueFor(3, delivery), dueFor(4, delivery)]);

    expect(receiver.connectionCount()).toBe(maxAttempts);
    const stored = await readDelivery(current(), delivery);
    expect(stored).toMatchObject({ status: 'failed', attempts: maxAttempts, claim: null });
    expect(stored?.log).toHaveLength(maxAttempts);
    for (const { error, responseStatus } of stored?.log ?? []) {
      expect(error).toMatch(/^[ -~]{10,200}$/);
      expect(responseStatus).toBe(status);
    }
    expect(itemSize(await current().readItem(deliveryKey(delivery)))).toBeLessThan(2_000);
  },
);

it('a hostile receiver does not affect other deliveries of its batch', async () => {
  const hostile = await prepare(sends([mebibyte]));
  const others = [buildDelivery({}, 2), buildDelivery({}, 3)];
  for (const delivery of others) await storeDelivery(current(), delivery, null);
  const batch = [hostile.delivery, ...others].map((delivery) => dueFor(1, delivery));

  const results = await hostile.worker.deliver(batch);

  expect(results).toEqual(['done', 'done', 'done']);
  expect(hostile.receiver.connectionCount()).toBe(3);
});
