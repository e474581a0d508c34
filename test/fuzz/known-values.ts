import { randomBytes } from 'node:crypto';
import { chunks } from '#shared/domain/chunks.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';
import type { Known } from './requests.ts';

/** Customers that are set up together: more would wait for each other until their requests time out. */
const atOnce = 8;

/** Of each customer. */
const creator = { platform: 'tiktok', handle: 'example' };

/** In the order in which they are sent. */
const messages = ['tracker.saved', 'creator_videos.saved', 'change_report.written', 'run.items_saved', 'run.settled'];

/** Gives each customer an endpoint and stored results, and tells by which path what belongs to it is found. */
export async function knownValues(customers: readonly StackCustomer[]): Promise<Known> {
  const made: Awaited<ReturnType<typeof setUp>>[] = [];
  for (const some of chunks(customers, atOnce)) made.push(...(await Promise.all(some.map(setUp))));
  await customers.at(-1)?.stored(`/v1/runs/${made.at(-1)?.run}`);
  return {
    '/v1/webhooks/{id}': made.map(({ webhook }) => webhook.id),
    '/v1/webhooks/{id}/deliveries/{deliveryId}': made.map(({ test_delivery }) => test_delivery.id),
    '/v1/runs/{id}': made.map(({ run }) => run),
    '/v1/trackers/{id}': made.map(({ tracker }) => tracker),
    '/v1/creators/{platform}': customers.map(() => creator.platform),
    '/v1/creators/{platform}/{handle}': customers.map(() => creator.handle),
    '/docs/errors/{code}': customers.map(() => 'not_found'),
  };
}

async function setUp(customer: StackCustomer) {
  const registered = await customer.register(customer.receiver('fuzz'));
  const at = Date.now();
  const run = makeId('run', at, randomBytes(10));
  const tracker = makeId('tracker', at, randomBytes(10));
  for (const type of messages) await customer.emit(type, { customer: customer.id, run, tracker, ...creator });
  return { ...registered, run, tracker };
}
