import { randomBytes } from '#shared/runtime/system.ts';
import { expectStatus } from '../conformance/checks/problems.ts';
import { serviceHeader, verifies } from '../conformance/checks/verify.ts';
import { at, listAt, textAt } from '../conformance/harness/json.ts';
import type { Received } from '../conformance/harness/receiver.ts';
import type { Context } from '../conformance/harness/session.ts';
import { type Clock, until } from '../conformance/harness/until.ts';
import { exampleMessage } from '../operator/emit/example-messages.ts';
import type { SmokeReceiver } from './receivers.ts';
import { type Done, NotApplicable } from './steps.ts';

export type Endpoint = { readonly path: string; readonly secret: string; readonly testEventId: string };

/** A delivery that the API shows as `delivered`, as it is printed for a program. */
export type Delivered = {
  readonly id: string;
  readonly event_id: string;
  /** Milliseconds from the acceptance of the event to the start of the first attempt. */
  readonly accepted_to_post_ms: number;
  readonly attempt_ms: number;
  /** Milliseconds from the message in the intake queue to the first answer of the API that says `delivered`. */
  readonly sent_to_seen_ms: number;
};

/** The `Idempotency-Key` of the only registration of a customer. */
export const registrationKey = 'smoke-test';

/** Registers the endpoint. The service completes the handshake before it answers. */
export async function registerEndpoint(ctx: Context, url: string): Promise<Done<Endpoint>> {
  const startedAt = ctx.now();
  const registered = await ctx.customer.send('POST', '/v1/webhooks', {
    body: { url, description: 'smoke test' },
    headers: { 'idempotency-key': registrationKey },
  });
  expectStatus(registered, 201);
  const { json } = registered;
  if (at(json, 'webhook', 'status') !== 'active') {
    const test = at(json, 'test_delivery');
    throw new Error(`The handshake with ${url} failed: ${at(test, 'error') ?? at(test, 'status')}`);
  }
  const id = textAt(json, 'webhook', 'id');
  return {
    value: {
      path: `/v1/webhooks/${id}`,
      secret: textAt(json, 'secret'),
      testEventId: textAt(json, 'test_delivery', 'event_id'),
    },
    detail: `${id} is active; the handshake was answered within ${ctx.now() - startedAt} ms`,
  };
}

/** What was put on the intake queue, and when. */
type Sent = { readonly runId: string; readonly sentAt: number };

/** Puts the message of a settled Run on the intake queue. */
export async function sendEvent(ctx: Context): Promise<Done<Sent>> {
  const { customerId: customer, put } = ctx.intake();
  const message = exampleMessage('run.settled', { customer }, ctx.now(), randomBytes);
  const runId = textAt(message, 'run', 'id');
  await put(message);
  return { value: { runId, sentAt: ctx.now() }, detail: `run.settled of ${runId}` };
}

/**
 * Waits until the API shows the delivery of the event as `delivered`.
 *
 * @returns it with the exact text that was sent
 */
export async function awaitDelivered(
  ctx: Context,
  { path }: Endpoint,
  { runId, sentAt }: Sent,
  wait: Wait,
): Promise<Done<{ readonly delivery: Delivered; readonly body: string }>> {
  const id = await until(
    wait.clock,
    'the delivery in the API',
    async () => {
      const { json } = await ctx.customer.get(`${path}/deliveries?event_type=run.completed&limit=10`);
      return finishedId(listAt(json, 'items').find((item) => at(item, 'run_id') === runId));
    },
    { seconds: wait.seconds, everyMs: 300 },
  );
  const sent_to_seen_ms = ctx.now() - sentAt;
  const { json } = await ctx.customer.get(`${path}/deliveries/${id}`);
  const begunAt = Date.parse(textAt(json, 'attempt_log', 0, 'at'));
  const accepted_to_post_ms = begunAt - Date.parse(textAt(json, 'created_at'));
  const attempt_ms = Number(at(json, 'attempt_log', 0, 'duration_ms'));
  const event_id = textAt(json, 'event_id');
  return {
    value: {
      delivery: { id, event_id, accepted_to_post_ms, attempt_ms, sent_to_seen_ms },
      body: textAt(json, 'body'),
    },
    detail:
      `${event_id}: POST began ${accepted_to_post_ms} ms after the event was accepted and took ${attempt_ms} ms; ` +
      `delivered in the API ${sent_to_seen_ms} ms after the message was sent`,
  };
}

/** @throws Error when the first attempt failed: the next one is ten minutes away */
function finishedId(found: unknown): string | undefined {
  if (at(found, 'status') === 'delivered') return textAt(found, 'id');
  if (found === undefined || at(found, 'attempts') === 0 || at(found, 'error') === null) return undefined;
  throw new Error(`The first attempt of delivery ${at(found, 'id')} failed: ${at(found, 'error')}`);
}

/** How long a step may take. A sleep of the clock ends when the run is stopped. */
type Wait = { readonly seconds: number; readonly clock: Clock };

/** Verifies a POST as a receiver must, over the bytes that arrived. */
export async function verifySignature(
  receiver: SmokeReceiver,
  { secret }: Endpoint,
  { eventId, body }: { readonly eventId: string; readonly body?: string },
  wait: Wait,
): Promise<Done<Received>> {
  const { posts } = receiver;
  if (posts === null) {
    throw new NotApplicable('Only the owner of the receiver can see the header: give --inbox if it has an inbox');
  }
  const post = await until(
    wait.clock,
    `the POST of ${eventId} at the receiver`,
    async () => (await posts()).find((received) => serviceHeader(received, 'event-id') === eventId),
    { seconds: wait.seconds, everyMs: 300 },
  );
  const header = serviceHeader(post, 'signature') ?? '';
  if (!verifies(header, post.body, secret, Math.floor(post.at / 1_000))) {
    throw new Error(`The signature of ${eventId} does not verify: ${header === '' ? 'it is absent' : header}`);
  }
  if (body !== undefined && post.body.toString('utf8') !== body) {
    throw new Error(`The body of ${eventId} at the receiver is not the body that the API shows`);
  }
  return { value: post, detail: `verified over the ${post.body.length} bytes that the receiver got` };
}
