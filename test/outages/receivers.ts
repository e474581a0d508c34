import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openCertificate } from '../../tools/local/parties/receiver/certificates.ts';
import type { SeededCustomer, StackFile } from '../../tools/local/stack/stack-file.ts';
import { StackCustomer } from '../support/stack/stack-customer.ts';
import { startOwnReceiver } from '../support/stack/stack-receiver.ts';

/** How a receiver treats an event. */
const habits = {
  prompt: { delayMs: 0, failures: 0 },
  /** Long enough that an attempt is often in flight during a fault. */
  slow: { delayMs: 1_200, failures: 0 },
  'fails-once': { delayMs: 0, failures: 1 },
  'fails-twice': { delayMs: 0, failures: 2 },
  'never-acknowledges': { delayMs: 0, failures: Number.POSITIVE_INFINITY },
} as const;
export type Habit = keyof typeof habits;

/** One POST of an event as a receiver got it, and its response. */
export type SeenPost = {
  readonly path: string;
  readonly eventId: string;
  readonly body: string;
  readonly status: number;
};

export type Receivers = Awaited<ReturnType<typeof startReceivers>>;

/** Path of a receiver with a habit. `name` makes it unique. */
export const receiverPath = (habit: Habit, name: string): string => `/${habit}/${name}`;

/**
 * Starts receivers that outlive the stack, with the certificate that a stack in the same state folder trusts.
 *
 * @param stateDir folder of the stack's certificates
 */
export async function startReceivers(stateDir: string) {
  /** All POSTs in order, without handshakes. */
  const posts: SeenPost[] = [];
  const authority = await openCertificate(join(stateDir, 'tls'), new Date());
  const { origin, close } = await startOwnReceiver(authority, async (path, _number, { headers, body }) => {
    const eventId = headers['x-service-event-id'] ?? '';
    const earlier = posts.filter((post) => post.path === path && post.eventId === eventId).length;
    const { delayMs, failures } = habitOf(path);
    const status = earlier < failures ? 503 : 200;
    posts.push({ path, eventId, body: body.toString('utf8'), status });
    if (delayMs > 0) await sleep(delayMs);
    return status;
  });
  return { origin, posts, close };
}

function habitOf(path: string): (typeof habits)[Habit] {
  const name = path.split('/')[1] ?? '';
  const found = Object.entries(habits).find(([habit]) => habit === name);
  if (found === undefined) throw new Error(`No receiver has the path ${path}`);
  return found[1];
}

/** An endpoint that a customer registered. */
export type TestEndpoint = {
  readonly customer: SeededCustomer;
  readonly webhookId: string;
  /** Path of its receiver. */
  readonly path: string;
  /** It gets the events that were first sent after this time; epoch milliseconds. */
  readonly registeredAt: number;
};

/** Registers one endpoint of each customer for each of its habits, in order. */
export async function registerEndpoints(
  info: StackFile,
  receivers: Receivers,
  habits: readonly (readonly Habit[])[],
  customers: readonly SeededCustomer[] = info.customers,
): Promise<readonly TestEndpoint[]> {
  const made: TestEndpoint[] = [];
  for (const [number, customer] of customers.entries()) {
    const client = new StackCustomer(info, customer);
    for (const [index, habit] of (habits[number] ?? []).entries()) {
      const path = receiverPath(habit, `${customer.id}-${index}`);
      const { webhook } = await client.register(receivers.origin + path);
      if (webhook.status !== 'active') throw new Error(`The handshake with ${path} failed`);
      made.push({ customer, webhookId: webhook.id, path, registeredAt: Date.now() });
    }
  }
  return made;
}
