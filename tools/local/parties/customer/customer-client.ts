import { z } from 'zod';
import { deliveryRecord } from '#shared/contract/records/delivery.ts';
import { webhookRecord } from '#shared/contract/records/webhook.ts';
import type { SeededCustomer } from '../../stack/customer-keys.ts';
import type { StackFile } from '../../stack/stack-file.ts';

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

/** One POST to the test receiver: header names in lower case, the body as raw bytes. */
export type Post = z.output<typeof inboxEntry>;

export type Answer = { readonly status: number; readonly contentType: string | null; readonly body: unknown };

export function withoutHandshakes(posts: readonly Post[]): readonly Post[] {
  return posts.filter(({ headers }) => headers['x-service-event-type'] !== 'webhook.test');
}

/** A customer of a running stack. Calls the API with an API key and reads the inbox of the test receiver. */
export class CustomerClient {
  readonly stack: StackFile;
  readonly id: string;
  protected readonly key: string;

  constructor(stack: StackFile, customer: SeededCustomer) {
    this.stack = stack;
    this.id = customer.id;
    this.key = customer.api_key;
  }

  /** A URL at the stack's receiver, unique to this customer. */
  receiver(name: string, query = ''): string {
    return `${this.stack.receiver.origin}/${this.id}-${name}${query}`;
  }

  async request(method: string, path: string, body?: object): Promise<Answer> {
    const { headers: _, ...answer } = await this.ask(method, path, this.key, body);
    return answer;
  }

  /** Sends a request with another credential, or with none (`''`). The answer includes its headers. */
  async ask(
    method: string,
    path: string,
    credential: string = this.key,
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

  async register(url: string) {
    return registeredAnswer.parse(await this.#answer(201, 'POST', '/v1/webhooks', { url }));
  }

  async rotate(webhookId: string) {
    return rotatedAnswer.parse(await this.#answer(200, 'POST', `/v1/webhooks/${webhookId}/rotate`));
  }

  async remove(webhookId: string): Promise<void> {
    z.null().parse(await this.#answer(204, 'DELETE', `/v1/webhooks/${webhookId}`));
  }

  async replay(webhookId: string, deliveryId: string) {
    const path = `/v1/webhooks/${webhookId}/deliveries/${deliveryId}/replay`;
    return z.object({ delivery: deliveryRecord }).parse(await this.#answer(202, 'POST', path)).delivery;
  }

  /** Deliveries of an endpoint, newest first, without the handshake. */
  async deliveries(webhookId: string) {
    const { body } = await this.request('GET', `/v1/webhooks/${webhookId}/deliveries`);
    const { items } = z.object({ items: z.array(deliveryRecord) }).parse(body);
    return items.filter((delivery) => delivery.event_type !== 'webhook.test');
  }

  /** All POSTs to a receiver of this customer, including handshakes, in order. */
  async inbox(name: string): Promise<readonly Post[]> {
    const response = await fetch(`${this.stack.receiver.inbox_url}?name=${this.id}-${name}`);
    return z.array(inboxEntry).parse(await response.json());
  }

  /** @throws Error with the answer when its status differs */
  async #answer(status: number, method: string, path: string, body?: object): Promise<unknown> {
    const answer = await this.request(method, path, body);
    if (answer.status === status) return answer.body;
    throw new Error(
      `Expected ${status} for ${method} ${path}, got ${answer.status}: ${JSON.stringify(answer.body)}`,
    );
  }
}
