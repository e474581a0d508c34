import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import * as z from 'zod';
import { deliveryWithLogRecord } from '#shared/contract/records/delivery.ts';
import { webhookRecord } from '#shared/contract/records/webhook.ts';
import { CustomerClient, type Post } from '../../../tools/local/parties/customer/customer-client.ts';
import { createServiceClient } from '../../../tools/local/stack/service-client.ts';
import type { StackFile } from '../../../tools/local/stack/stack-file.ts';
import { exampleMessage, type MessageChoices } from '../../../tools/operator/emit/example-messages.ts';
import { eventually, only } from './eventually.ts';

export type Answer = { readonly status: number; readonly contentType: string | null; readonly body: unknown };

/** A customer of a running stack, with methods that only tests need. */
export class StackCustomer extends CustomerClient {
  /** The API key, to sign in to the console. */
  get apiKey(): string {
    return this.key;
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

  /** Waits until each path answers 200. Looks rarely: the test may need what the request limit admits. */
  async stored(...paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const look = async () => expect(await this.request('GET', path)).toMatchObject({ status: 200 });
      await eventually(look, { interval: 2_000 });
    }
  }

  /** The events that a receiver got, once there are at least `count`. */
  received(name: string, count: number): Promise<readonly Post[]> {
    return eventually(async () => {
      const posts = await this.events(name);
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
    return sendToIntake(this.stack, message);
  }
}

/** Sends a message as the Run engine does. */
export async function sendToIntake(stack: StackFile, message: object, signal?: AbortSignal): Promise<void> {
  const { call, close } = createServiceClient('sqs', stack.endpoints.sqs);
  const input = { QueueUrl: stack.intake_queue_url, MessageBody: JSON.stringify(message) };
  await call('SendMessage', input, signal && { signal }).finally(close);
}
