import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { sendToIntake } from '#shared/aws/queues/intake-queue.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { type ApiClient, resultOf, type Schemas } from '../../packages/api-client/client.ts';
import { type Received, serviceHeader } from '../conformance/harness/receiver.ts';
import { verifies } from '../conformance/harness/verify.ts';
import type { Target } from '../operator/cli/target.ts';
import { exampleMessage } from '../operator/emit/example-messages.ts';
import type { SmokeReceiver } from './receivers.ts';
import { type Done, NotApplicable } from './steps.ts';

type Delivery = Schemas['Delivery'];

export type Endpoint = { readonly id: string; readonly secret: string; readonly testEventId: string };

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
export async function registerEndpoint(api: ApiClient, url: string): Promise<Done<Endpoint>> {
  const body = { url, description: 'smoke test' };
  const startedAt = now();
  const params = { header: { 'Idempotency-Key': registrationKey } };
  const { webhook, secret, test_delivery } = await resultOf(api.POST('/v1/webhooks', { body, params }));
  if (webhook.status !== 'active') {
    throw new Error(`The handshake with ${url} failed: ${test_delivery.error ?? test_delivery.status}`);
  }
  return {
    value: { id: webhook.id, secret, testEventId: test_delivery.event_id },
    detail: `${webhook.id} is active; the handshake was answered within ${now() - startedAt} ms`,
  };
}

/** Puts the message of a settled Run on the intake queue. */
export async function sendEvent(
  target: Target,
  customer: string,
  onSend: (message: object) => void,
): Promise<Done<{ readonly runId: string; readonly sentAt: number }>> {
  const message = exampleMessage('run.settled', { customer }, now(), randomBytes);
  const { run } = z.object({ run: z.object({ id: z.string() }) }).parse(message);
  onSend(message);
  await sendToIntake(target.queues, target.intakeQueueUrl)(message);
  return { value: { runId: run.id, sentAt: now() }, detail: `run.settled of ${run.id}` };
}

/**
 * Waits until the API shows the delivery of the event as `delivered`.
 *
 * @returns it with the exact text that was sent
 */
export async function awaitDelivered(
  api: ApiClient,
  { id }: Endpoint,
  sent: { readonly runId: string; readonly sentAt: number },
  wait: Wait,
): Promise<Done<{ readonly delivery: Delivered; readonly body: string }>> {
  const found = await poll('the delivery in the API', wait, async () => {
    const params = { path: { id }, query: { event_type: 'run.completed', limit: 10 } } as const;
    const { items } = await resultOf(api.GET('/v1/webhooks/{id}/deliveries', { params }));
    return finished(items.find((item) => item.run_id === sent.runId));
  });
  const sent_to_seen_ms = now() - sent.sentAt;
  const shown = await resultOf(
    api.GET('/v1/webhooks/{id}/deliveries/{deliveryId}', { params: { path: { id, deliveryId: found.id } } }),
  );
  const first = shown.attempt_log[0];
  if (first === undefined) throw new Error(`Delivery ${found.id} has no attempt in its log`);
  const accepted_to_post_ms = Date.parse(first.at) - Date.parse(shown.created_at);
  const { id: deliveryId, event_id } = shown;
  const attempt_ms = first.duration_ms;
  return {
    value: {
      delivery: { id: deliveryId, event_id, accepted_to_post_ms, attempt_ms, sent_to_seen_ms },
      body: shown.body,
    },
    detail:
      `${event_id}: POST began ${accepted_to_post_ms} ms after the event was accepted and took ${attempt_ms} ms; ` +
      `delivered in the API ${sent_to_seen_ms} ms after the message was sent`,
  };
}

/** @throws Error when the first attempt failed: the next one is ten minutes away */
function finished(found: Delivery | undefined): Delivery | undefined {
  if (found === undefined || found.status === 'delivered') return found;
  if (found.attempts === 0 || found.error === null) return undefined;
  throw new Error(`The first attempt of delivery ${found.id} failed: ${found.error}`);
}

/** Verifies a POST as a receiver must, over the bytes that arrived. */
export async function verifySignature(
  receiver: SmokeReceiver,
  { secret }: Endpoint,
  { eventId, body }: { readonly eventId: string; readonly body?: string },
  wait: Wait,
): Promise<Done<Received>> {
  const { posts } = receiver;
  if (posts === null) {
    throw new NotApplicable(
      'Only the owner of the receiver can see the header: give --inbox if it has an inbox',
    );
  }
  const post = await poll(`the POST of ${eventId} at the receiver`, wait, async () =>
    (await posts()).find((received) => serviceHeader(received, 'event-id') === eventId),
  );
  const header = serviceHeader(post, 'signature') ?? '';
  if (!verifies(header, post.body, secret, Math.floor(post.at / 1_000))) {
    throw new Error(
      `The signature of ${eventId} does not verify: ${header === '' ? 'it is absent' : header}`,
    );
  }
  if (body !== undefined && post.body.toString('utf8') !== body) {
    throw new Error(`The body of ${eventId} at the receiver is not the body that the API shows`);
  }
  return { value: post, detail: `verified over the ${post.body.length} bytes that the receiver got` };
}

type Wait = { readonly seconds: number; readonly signal: AbortSignal };

const firstPauseMs = 100;
/** A key admits 60 requests a minute. */
const maxPauseMs = 2_000;

/**
 * Asks again, at first often and then every two seconds.
 *
 * @param what completes the sentence "… was not seen"
 * @throws Error when the time is over or the run was stopped
 */
async function poll<Found>(
  what: string,
  { seconds, signal }: Wait,
  look: () => Promise<Found | undefined>,
): Promise<Found> {
  const until = performance.now() + seconds * 1_000;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)) {
    signal.throwIfAborted();
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() + pauseMs > until) throw new Error(`${what} was not seen within ${seconds} s`);
    await pause(pauseMs, undefined, { signal });
  }
}
