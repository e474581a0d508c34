import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeId } from '#shared/domain/ids.ts';
import type { CustomerClient } from '../../local/parties/customer/customer-client.ts';
import { exampleMessage } from '../../operator/example-messages.ts';
import { apiEvent } from '../api-event.ts';
import { batchOf } from '../sqs-event.ts';
import type { StackScene } from '../stack-scene.ts';
import { waitingAttempt } from '../waiting-attempt.ts';

/** Prepares what a function needs for one invocation, and returns the event. */
export type MakeEvent = () => Promise<object>;

const newId = (kind: Parameters<typeof makeId>[0]) => makeId(kind, Date.now(), randomBytes(10));

/**
 * One real event for each function, by its folder below `functions/`. Every event has a credential of its own, so that
 * no request limit is reached.
 */
export function eventsFor(scene: StackScene): Readonly<Record<string, MakeEvent>> {
  return { ...readEvents(scene), ...changeEvents(scene), ...workEvents(scene) };
}

/** A customer with one record of each kind. */
async function withRecords(scene: StackScene) {
  const { client } = await scene.newCustomer();
  const { webhook } = await client.register(client.receiver('cold'));
  const run = newId('run');
  const tracker = newId('tracker');
  const choices = { customer: client.id, run };
  await scene.emit('run.settled', choices);
  await scene.emit('run.items_saved', choices);
  await scene.emit('tracker.saved', { customer: client.id, tracker });
  await scene.emit('change_report.written', { customer: client.id, tracker });
  await scene.emit('creator_videos.saved', { customer: client.id, platform: 'tiktok', handle: 'cold' });
  const deliveryId = await deliveredId(client, webhook.id);
  return { customerId: client.id, webhookId: webhook.id, deliveryId, run, tracker };
}

/** Waits until both events are delivered. */
async function deliveredId(client: CustomerClient, webhookId: string): Promise<string> {
  for (let looks = 0; looks < 40; looks += 1) {
    const deliveries = await client.deliveries(webhookId);
    const [first] = deliveries;
    if (deliveries.length === 2 && deliveries.every(({ status }) => status === 'delivered') && first) {
      return first.id;
    }
    await sleep(1_500);
  }
  throw new Error('Cannot measure: the events were not delivered');
}

function readEvents(scene: StackScene): Readonly<Record<string, MakeEvent>> {
  const records = withRecords(scene);
  const on = (pathOf: (given: Awaited<typeof records>) => Readonly<Record<string, string>>): MakeEvent => {
    return async () => {
      const given = await records;
      return apiEvent({ apiKey: await scene.newKey(given.customerId), path: pathOf(given) });
    };
  };
  return {
    'api/list-webhooks': on(() => ({})),
    'api/get-webhook': on(({ webhookId }) => ({ id: webhookId })),
    'api/list-deliveries': on(({ webhookId }) => ({ id: webhookId })),
    'api/get-delivery': on(({ webhookId, deliveryId }) => ({ id: webhookId, deliveryId })),
    'api/list-runs': on(() => ({})),
    'api/get-run': on(({ run }) => ({ id: run })),
    'api/list-run-items': on(({ run }) => ({ id: run })),
    'api/get-tracker': on(({ tracker }) => ({ id: tracker })),
    'api/list-change-reports': on(({ tracker }) => ({ id: tracker })),
    'api/list-creator-videos': on(() => ({ platform: 'tiktok', handle: 'cold' })),
    'api/get-docs': async () =>
      apiEvent({ apiKey: 'none', resource: '/docs/errors/{code}', path: { code: 'not_found' } }),
    'api/not-found': async () => apiEvent({ apiKey: 'none' }),
  };
}

function changeEvents(scene: StackScene): Readonly<Record<string, MakeEvent>> {
  const registered = async () => {
    const { client, apiKey } = await scene.newCustomer();
    const { webhook, test_delivery } = await client.register(client.receiver('cold'));
    return { apiKey, path: { id: webhook.id }, deliveryId: test_delivery.id };
  };
  return {
    'api/register-webhook': async () => {
      const { client, apiKey } = await scene.newCustomer();
      return apiEvent({ apiKey, method: 'POST', body: { url: client.receiver('cold') } });
    },
    'api/delete-webhook': async () => apiEvent({ ...(await registered()), method: 'DELETE' }),
    'api/rotate-secret': async () => apiEvent({ ...(await registered()), method: 'POST' }),
    'api/replay-delivery': async () => {
      const { apiKey, path, deliveryId } = await registered();
      return apiEvent({ apiKey, method: 'POST', path: { ...path, deliveryId } });
    },
  };
}

function workEvents(scene: StackScene): Readonly<Record<string, MakeEvent>> {
  const endpoint = registerOnce(scene);
  const deliver = async () => {
    const { customerId, webhookId } = await endpoint;
    return batchOf([await waitingAttempt(scene, customerId, webhookId)]);
  };
  return {
    'queue/intake': async () => {
      const { customerId: customer } = await endpoint;
      return batchOf([exampleMessage('run.settled', { customer }, Date.now(), randomBytes)]);
    },
    'queue/deliver': deliver,
    'queue/deliver-slow': deliver,
    'schedule/sweep': async () => ({}),
    'schedule/audit': async () => ({}),
  };
}

async function registerOnce({ newCustomer }: StackScene) {
  const { client } = await newCustomer();
  const { webhook } = await client.register(client.receiver('work'));
  return { customerId: client.id, webhookId: webhook.id };
}
