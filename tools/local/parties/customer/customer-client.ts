import { z } from 'zod';
import { type ApiClient, connectApi, done, resultOf } from '../../../../packages/api-client/client.ts';
import type { SeededCustomer, StackFile } from '../../stack/stack-file.ts';

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

/** A customer of a running stack. Calls the API with an API key and reads the inbox of the test receiver. */
export class CustomerClient {
  readonly stack: StackFile;
  readonly id: string;
  readonly api: ApiClient;
  protected readonly key: string;

  constructor(stack: StackFile, customer: SeededCustomer) {
    this.stack = stack;
    this.id = customer.id;
    this.key = customer.api_key;
    this.api = connectApi({ url: stack.api_url, credential: customer.api_key });
  }

  /** A URL at the stack's receiver, unique to this customer. */
  receiver(name: string, query = ''): string {
    return `${this.stack.receiver.origin}/${this.id}-${name}${query}`;
  }

  register(url: string) {
    return resultOf(this.api.POST('/v1/webhooks', { body: { url } }));
  }

  rotate(id: string) {
    return resultOf(this.api.POST('/v1/webhooks/{id}/rotate', { params: { path: { id } } }));
  }

  async remove(id: string): Promise<void> {
    await done(this.api.DELETE('/v1/webhooks/{id}', { params: { path: { id } } }));
  }

  async replay(id: string, deliveryId: string) {
    const params = { path: { id, deliveryId } };
    const path = '/v1/webhooks/{id}/deliveries/{deliveryId}/replay';
    return (await resultOf(this.api.POST(path, { params }))).delivery;
  }

  /** Deliveries of an endpoint, newest first, without the handshake. */
  async deliveries(id: string) {
    const { items } = await resultOf(this.api.GET('/v1/webhooks/{id}/deliveries', { params: { path: { id } } }));
    return items.filter((delivery) => delivery.event_type !== 'webhook.test');
  }

  /** All POSTs to a receiver of this customer, including handshakes, in order. */
  async inbox(name: string): Promise<readonly Post[]> {
    const response = await fetch(`${this.stack.receiver.inbox_url}?name=${this.id}-${name}`);
    return z.array(inboxEntry).parse(await response.json());
  }

  /** The same without handshakes. */
  async events(name: string): Promise<readonly Post[]> {
    const posts = await this.inbox(name);
    return posts.filter(({ headers }) => headers['x-service-event-type'] !== 'webhook.test');
  }
}
