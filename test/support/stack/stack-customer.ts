import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import * as z from 'zod';
import { deliveryRecord, deliveryWithLogRecord } from '#shared/contract/records/delivery.ts';
import { webhookRecord } from '#shared/contract/records/webhook.ts';
import type { SeededCustomer } from '../../../local/stack/customer-keys.ts';
import { createServiceClient } from '../../../local/stack/service-client.ts';
import type { StackFile } from '../../../local/stack/stack-file.ts';
import { exampleMessage, type MessageChoices } from '../../../operator/example-messages.ts';
import { eventually, only } from './eventually.ts';

export const registeredAnswer = z.object({
  webhook: webhookRecord,
  secret: z.string(),
  test_delivery: deliveryRecord,
});
export const rotatedAnswer = z.object({
  webhook: webhookRecord,
  secret: z.string(),
  overlap_expires_at: z.string(),
});

const inboxEntry = z
  .object({
    time: z.string(),
    headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    body_base64: z.string(),
  })
  .transform(({ time, headers, body_base64 }) => ({
    time,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body: Buffer.from(body_base64, 'base64'),
  }));

/** One POST as the test receiver got it: header names in lower case, the body as raw bytes. */
export type Post = z.output<typeof inboxEntry>;

export type Answer = { readonly status: number; readonly contentType: string | null; readonly body: unknown };

/** An answer as it came, names and values of headers in turn. */
export type RawAnswer = {
  readonly status: number;
  readonly rawHeaders: readonly string[];
  readonly text: string;
};

export function withoutHandshakes(posts: readonly Post[]): readonly Post[] {
  return posts.filter(({ headers }) => headers['x-service-event-type'] !== 'webhook.test');
}

/** A customer of a running stack: calls the API with their key, and reads what their receivers got. */
export class StackCustomer {
  readonly stack: StackFile;
  readonly id: string;
  readonly #key: string;

  constructor(stack: StackFile, customer: SeededCustomer) {
    this.stack = stack;
    this.id = customer.id;
    this.#key = customer.api_key;
  }

  /** A path of the stack's receiver that no other customer uses. */
  receiver(name: string, query = ''): string {
    return `${this.stack.receiver.origin}/${this.id}-${name}${query}`;
  }

  async request(method: string, path: string, body?: object): Promise<Answer> {
    const { headers: _, ...answer } = await this.ask(method, path, this.#key, body);
    return answer;
  }

  /** A request with another credential, or with none (`''`); the answer includes the headers. */
  async ask(
    method: string,
    path: string,
    credential: string = this.#key,
    body?: object,
  ): Promise<Answer & { readonly headers: Headers }> {
    const response = await fetch(`${this.stack.api_url}${path}`, {
      method,
      headers: {
        ...(credential === '' ? {} : { Authorization: `Bearer ${credential}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const received = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      contentType: response.headers.get('content-type'),
      body: received === '' ? null : JSON.parse(received),
    };
  }

  /** A request with the customer's key, whose target and body are sent unchanged. */
  send(
    method: string,
    target: string,
    headers: Readonly<Record<string, string>> = {},
    body = Buffer.alloc(0),
  ) {
    const { hostname, port } = new URL(this.stack.api_url);
    const all = { Authorization: `Bearer ${this.#key}`, ...headers, 'Content-Length': body.length };
    return new Promise<RawAnswer>((resolve, reject) => {
      const outgoing = request({ hostname, port, method, path: target, headers: all }, (incoming) => {
        const { statusCode: status = 0, rawHeaders } = incoming;
        text(incoming).then((received) => resolve({ status, rawHeaders, text: received }), reject);
      });
      outgoing.on('error', reject).end(body);
    });
  }

  async register(url: string) {
    const answer = await this.request('POST', '/v1/webhooks', { url });
    expect(answer).toMatchObject({ status: 201 });
    return registeredAnswer.parse(answer.body);
  }

  async rotate(webhookId: string) {
    const answer = await this.request('POST', `/v1/webhooks/${webhookId}/rotate`);
    expect(answer).toMatchObject({ status: 200 });
    return rotatedAnswer.parse(answer.body);
  }

  async remove(webhookId: string): Promise<void> {
    expect(await this.request('DELETE', `/v1/webhooks/${webhookId}`)).toMatchObject({
      status: 204,
      body: null,
    });
  }

  async webhook(webhookId: string) {
    return webhookRecord.parse((await this.request('GET', `/v1/webhooks/${webhookId}`)).body);
  }

  async webhooks() {
    const { body } = await this.request('GET', '/v1/webhooks');
    return z.object({ items: z.array(webhookRecord) }).parse(body).items;
  }

  /** Deliveries of an endpoint, newest first, without the handshake. */
  async deliveries(webhookId: string) {
    const { body } = await this.request('GET', `/v1/webhooks/${webhookId}/deliveries`);
    const { items } = z.object({ items: z.array(deliveryRecord) }).parse(body);
    return items.filter((delivery) => delivery.event_type !== 'webhook.test');
  }

  async delivery(webhookId: string, deliveryId: string) {
    const { body } = await this.request('GET', `/v1/webhooks/${webhookId}/deliveries/${deliveryId}`);
    return deliveryWithLogRecord.parse(body);
  }

  /**
   * The only delivery of an endpoint, with its log, once it has ended. Polls rarely enough for the rate limit.
   */
  endedDelivery(webhookId: string) {
    const look = async () => {
      const delivery = only(await this.deliveries(webhookId));
      expect(delivery.status).not.toBe('pending');
      return await this.delivery(webhookId, delivery.id);
    };
    return eventually(look, { interval: 500 });
  }

  /** Every POST that a receiver of this customer got, in order, including handshakes. */
  async inbox(name: string): Promise<readonly Post[]> {
    const response = await fetch(`${this.stack.receiver.inbox_url}?name=${this.id}-${name}`);
    return z.array(inboxEntry).parse(await response.json());
  }

  /** The events that a receiver got, once there are `count` of them. */
  received(name: string, count: number): Promise<readonly Post[]> {
    return eventually(async () => {
      const posts = withoutHandshakes(await this.inbox(name));
      expect(posts.length).toBeGreaterThanOrEqual(count);
      return posts;
    });
  }

  /** Settles a Run. @returns the message, to send it again */
  async settleRun(): Promise<object> {
    const message = exampleMessage('run.settled', { customer: this.id }, Date.now(), randomBytes);
    await this.sendToIntake(message);
    return message;
  }

  /** Sends an example message of the Run engine. */
  async emit(type: string, choices: MessageChoices): Promise<void> {
    await this.sendToIntake(exampleMessage(type, choices, Date.now(), randomBytes));
  }

  sendToIntake(message: object): Promise<void> {
    return this.sendTextToIntake(JSON.stringify(message));
  }

  async sendTextToIntake(MessageBody: string): Promise<void> {
    const { call, close } = createServiceClient('sqs', this.stack.endpoints.sqs);
    await call('SendMessage', { QueueUrl: this.stack.intake_queue_url, MessageBody }).finally(close);
  }
}
