import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import * as z from 'zod';
import { deliveryWithLogRecord } from '#shared/contract/records/delivery.ts';
import { webhookRecord } from '#shared/contract/records/webhook.ts';
import {
  CustomerClient,
  type Post,
  withoutHandshakes,
} from '../../../local/parties/customer/customer-client.ts';
import { createServiceClient } from '../../../local/stack/service-client.ts';
import { exampleMessage, type MessageChoices } from '../../../operator/example-messages.ts';
import { eventually, only } from './eventually.ts';

/** An answer as it came, names and values of headers in turn. */
export type RawAnswer = {
  readonly status: number;
  readonly rawHeaders: readonly string[];
  readonly text: string;
};

/** A customer of a running stack, with methods that only tests need. */
export class StackCustomer extends CustomerClient {
  /** The API key, to sign in to the console. */
  get apiKey(): string {
    return this.key;
  }

  /** A request with the customer's key, whose target and body are sent unchanged. */
  send(
    method: string,
    target: string,
    headers: Readonly<Record<string, string>> = {},
    body = Buffer.alloc(0),
  ) {
    const { hostname, port } = new URL(this.stack.api_url);
    const all = { Authorization: `Bearer ${this.key}`, ...headers, 'Content-Length': body.length };
    return new Promise<RawAnswer>((resolve, reject) => {
      const outgoing = request({ hostname, port, method, path: target, headers: all }, (incoming) => {
        const { statusCode: status = 0, rawHeaders } = incoming;
        text(incoming).then((received) => resolve({ status, rawHeaders, text: received }), reject);
      });
      outgoing.on('error', reject).end(body);
    });
  }

  async webhook(webhookId: string) {
    return webhookRecord.parse((await this.request('GET', `/v1/webhooks/${webhookId}`)).body);
  }

  async webhooks() {
    const { body } = await this.request('GET', '/v1/webhooks');
    return z.object({ items: z.array(webhookRecord) }).parse(body).items;
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

  /** The events that a receiver got, once there are at least `count`. */
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
