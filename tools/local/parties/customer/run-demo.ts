import { setTimeout as sleep } from 'node:timers/promises';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { exampleMessage } from '../../../operator/emit/example-messages.ts';
import { createServiceClient } from '../../stack/service-client.ts';
import type { StackFile } from '../../stack/stack-file.ts';
import { verifySignature } from '../receiver/check-signature.ts';
import { CustomerClient, type Post } from './customer-client.ts';

type Tour = {
  readonly customer: CustomerClient;
  /** Reports a settled Run of the customer to the service. */
  readonly settleRun: () => Promise<void>;
  readonly say: (line: string) => void;
};

/** The endpoint that later steps use. */
type Endpoint = { readonly id: string; readonly secret: string };

/**
 * Tours the service on a running stack with a fast clock. Each step acts as a customer and checks the result at the
 * receiver.
 *
 * @throws Error when a step fails
 */
export async function runDemo(stack: StackFile, say: (line: string) => void): Promise<void> {
  const [first] = stack.customers;
  if (first === undefined) throw new Error('Cannot tour a stack without customers');
  const settleRun = async (): Promise<void> => {
    const { call, close } = createServiceClient('sqs', stack.endpoints.sqs);
    const message = exampleMessage('run.settled', { customer: first.id }, now(), randomBytes);
    const input = { QueueUrl: stack.intake_queue_url, MessageBody: JSON.stringify(message) };
    await call('SendMessage', input).finally(close);
  };
  const tour = { customer: new CustomerClient(stack, first), settleRun, say };
  const endpoint = await register(tour);
  await deliver(tour, endpoint);
  await retry(tour);
  await giveUp(tour);
  await replay(tour, endpoint);
  await rotate(tour, endpoint);
  await remove(tour, endpoint);
}

async function register({ customer, say }: Tour): Promise<Endpoint> {
  say('1. Register an endpoint');
  const { webhook, secret, test_delivery } = await customer.register(customer.receiver('tour'));
  expect(webhook.status === 'active', 'an answer to the handshake');
  say(`   webhook.test was answered 2xx (${test_delivery.status}), so ${webhook.id} is active`);
  say(`   its signing secret, shown once: ${webhook.secret_prefix}…`);
  return { id: webhook.id, secret };
}

async function deliver({ customer, settleRun, say }: Tour, endpoint: Endpoint): Promise<void> {
  say('2. A Run settles');
  await settleRun();
  const [post] = await receivedBy(customer, 'tour', 1);
  expect(verifies(post, endpoint.secret), 'the signature to verify');
  say(`   POST ${post?.body.toString()}`);
  say(`   X-Service-Signature ${post?.headers['x-service-signature']}`);
  say('   the signature verifies over the raw bytes');
}

async function retry({ customer, settleRun, say }: Tour): Promise<void> {
  say('3. A receiver that fails twice, then accepts');
  const { webhook } = await customer.register(customer.receiver('recovers', '?fail_first=2'));
  await settleRun();
  const posts = await receivedBy(customer, 'recovers', 3);
  const delivery = await endedDelivery(customer, webhook.id);
  expect(delivery.status === 'delivered' && delivery.attempts === 3, 'a delivery after three attempts');
  expect(new Set(posts.map(eventId)).size === 1, 'one event id on all attempts');
  say('   three attempts, planned 10 and 50 minutes apart, with a fast clock here:');
  for (const post of posts) say(`   ${post.time}  ${eventId(post)}`);
  say(`   ${delivery.id} is ${delivery.status}`);
  await customer.remove(webhook.id);
}

async function giveUp({ customer, settleRun, say }: Tour): Promise<void> {
  say('4. A receiver that never accepts');
  const { webhook } = await customer.register(customer.receiver('refuses', '?status=500'));
  await settleRun();
  // Waits at the inbox first: the API limits requests, the inbox does not.
  await receivedBy(customer, 'refuses', 3);
  const delivery = await endedDelivery(customer, webhook.id);
  const posts = await customer.events('refuses');
  expect(delivery.status === 'failed' && posts.length === 3, 'three attempts, then failed');
  say(`   ${posts.length} attempts, ${delivery.id} is ${delivery.status}, and the endpoint stays active`);
  await customer.remove(webhook.id);
}

async function replay({ customer, say }: Tour, endpoint: Endpoint): Promise<void> {
  say('5. Replay a delivery');
  const before = await customer.events('tour');
  const original = (await customer.deliveries(endpoint.id)).at(0);
  const replayed = await customer.replay(endpoint.id, original?.id ?? '');
  const posts = await receivedBy(customer, 'tour', before.length + 1);
  const again = posts.at(-1);
  const first = before.find((post) => eventId(post) === original?.event_id);
  expect(again?.body.equals(first?.body ?? Buffer.alloc(0)) === true, 'the same bytes');
  expect(replayed.event_id === original?.event_id && eventId(again) === original.event_id, 'the same event id');
  say(`   ${replayed.id} replays ${replayed.replay_of}: same event id, same bytes, fresh signature`);
}

async function rotate({ customer, settleRun, say }: Tour, endpoint: Endpoint): Promise<void> {
  say('6. Rotate the secret');
  const { secret, overlap_expires_at } = await customer.rotate(endpoint.id);
  const before = await customer.events('tour');
  await settleRun();
  const post = (await receivedBy(customer, 'tour', before.length + 1)).at(-1);
  expect(verifies(post, endpoint.secret) && verifies(post, secret), 'both secrets to verify');
  say(`   X-Service-Signature ${post?.headers['x-service-signature']}`);
  say(`   two v1, the old and the new secret both verify, until ${overlap_expires_at}`);
}

async function remove({ customer, settleRun, say }: Tour, endpoint: Endpoint): Promise<void> {
  say('7. Delete the endpoint');
  await customer.remove(endpoint.id);
  const before = await customer.events('tour');
  // A delivery to a second endpoint proves that the event was sent.
  const { webhook } = await customer.register(customer.receiver('witness'));
  await settleRun();
  await receivedBy(customer, 'witness', 1);
  await endedDelivery(customer, webhook.id);
  const after = await customer.events('tour');
  expect(after.length === before.length, 'nothing more for the deleted endpoint');
  const history = await customer.deliveries(endpoint.id);
  say(`   a later event was not sent to it; its ${history.length} deliveries stay readable`);
}

async function receivedBy(customer: CustomerClient, name: string, count: number): Promise<readonly Post[]> {
  return waitFor(`POST ${count} at "${name}"`, async () => {
    const posts = await customer.events(name);
    return posts.length >= count ? posts : undefined;
  });
}

/** Waits for the end of the newest delivery of an endpoint. */
async function endedDelivery(customer: CustomerClient, webhookId: string) {
  return waitFor('the end of the delivery', async () => {
    const [newest] = await customer.deliveries(webhookId);
    return newest?.status === 'pending' ? undefined : newest;
  });
}

function verifies(post: Post | undefined, secret: string): boolean {
  if (post === undefined) return false;
  return verifySignature(post.headers['x-service-signature'] ?? '', post.body, secret, now() / 1000);
}

function eventId(post: Post | undefined): string {
  return post?.headers['x-service-event-id'] ?? '';
}

function expect(seen: boolean, what: string): void {
  if (!seen) throw new Error(`Expected ${what}`);
}

const timeLimitMs = 20_000;

/** Polls every 50 ms until `look` returns a result. */
async function waitFor<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let waited = 0; waited < timeLimitMs; waited += 50) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await sleep(50);
  }
  throw new Error(`Did not see ${what} within ${timeLimitMs / 1000} s`);
}
