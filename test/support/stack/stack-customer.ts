import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** An answer as it came, names and values of headers in turn. */
export type RawAnswer = {
  readonly status: number;
  readonly rawHeaders: readonly string[];
  readonly text: string;
};

/**
 * Looks until an assertion holds; patient, because something else may use the machine. Times in milliseconds.
 *
 * The longer it takes, the more rarely it looks: a slow machine must not bring a customer to the limit on requests.
 */
export async function eventually<T>(
  look: () => Promise<T>,
  { timeout = 180_000, interval = 100 }: { readonly timeout?: number; readonly interval?: number } = {},
): Promise<T> {
  // Vitest has the same, but only in a test run, and the long runs are programs of their own.
  const start = performance.now();
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() - start > timeout) throw error;
    }
    await sleep(Math.max(interval, Math.min((performance.now() - start) / 10, 3_000)));
  }
}

/** The one element that a list is expected to have. */
export function only<T>(list: readonly T[]): T {
  const [first] = list;
  if (first === undefined || list.length !== 1) throw new Error(`Expected one element, not ${list.length}`);
  return first;
}

/** A customer of a running stack, with what only tests do. */
export class StackCustomer extends CustomerClient {
  /** A request whose target and body go over the wire as they are; the key goes with it. */
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
   * The only delivery of an endpoint, with its log, once it has ended. Looks rarely enough for the limit on
   * requests.
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

  /** Lets a Run settle. @returns the message, to be sent again */
  async settleRun(): Promise<object> {
    const message = exampleMessage('run.settled', { customer: this.id }, Date.now(), randomBytes);
    await this.sendToIntake(message);
    return message;
  }

  /** Tells the service what the Run engine would, with an example message. */
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
