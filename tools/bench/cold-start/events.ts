import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readApiKeys } from '#shared/aws/table/credentials/customers.ts';
import type { BundledFolder } from '#shared/contract/functions.ts';
import { toReplayMessage } from '#shared/contract/messages/replay-message.ts';
import { resultOf } from '../../../packages/api-client/client.ts';
import type { CustomerClient } from '../../local/parties/customer/customer-client.ts';
import { exampleMessage } from '../../operator/emit/example-messages.ts';
import { apiEvent, batchOf, newId, waitingAttempt } from '../events.ts';
import type { StackScene } from '../stack-scene.ts';

/** Prepares what a function needs for one invocation, and returns the event. */
export type MakeEvent = () => Promise<object>;

/**
 * One real event for each function, by its folder below `functions/`. Every event has another credential, so that no
 * request limit is reached.
 */
export function eventsFor(scene: StackScene): Readonly<Record<BundledFolder, MakeEvent>> {
  return { ...readEvents(scene), ...changeEvents(scene), ...replayEvents(scene), ...workEvents(scene) };
}

/** Runs on the first call, and gives its result to the later ones. */
function once<T>(run: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= run();
    return result;
  };
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

function readEvents(scene: StackScene) {
  const records = once(() => withRecords(scene));
  type Records = Awaited<ReturnType<typeof records>>;
  const on = (pathOf: (given: Records) => Readonly<Record<string, string>>): MakeEvent => {
    return async () => {
      const given = await records();
      return apiEvent({ apiKey: await scene.newKey(scene.table, given.customerId), path: pathOf(given) });
    };
  };
  return {
    'api/list-webhooks': on(() => ({})),
    'api/get-webhook': on(({ webhookId }) => ({ id: webhookId })),
    'api/get-webhook-stats': on(({ webhookId }) => ({ id: webhookId })),
    'api/list-activity': on(({ webhookId }) => ({ id: webhookId })),
    'api/get-credential': on(() => ({})),
    'api/get-addresses': on(() => ({})),
    'api/list-all-deliveries': on(() => ({})),
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

/** A customer with one endpoint. */
async function registered(scene: StackScene) {
  const { client, apiKey } = await scene.newCustomer();
  const { webhook, test_delivery } = await client.register(client.receiver('cold'));
  return { client, apiKey, path: { id: webhook.id }, deliveryId: test_delivery.id };
}

function changeEvents(scene: StackScene) {
  return {
    'api/register-webhook': async () => {
      const { client, apiKey } = await scene.newCustomer();
      return apiEvent({ apiKey, method: 'POST', body: { url: client.receiver('cold') } });
    },
    'api/delete-webhook': async () => apiEvent({ ...(await registered(scene)), method: 'DELETE' }),
    'api/rotate-secret': async () => apiEvent({ ...(await registered(scene)), method: 'POST' }),
    'api/replay-delivery': async () => {
      const { apiKey, path, deliveryId } = await registered(scene);
      return apiEvent({ apiKey, method: 'POST', path: { ...path, deliveryId } });
    },
    'api/send-example': async () => {
      const { apiKey, path } = await registered(scene);
      return apiEvent({ apiKey, method: 'POST', path, body: { type: 'run.completed' } });
    },
  };
}

/** Bulk replays of endpoints with nothing to replay. */
function replayEvents(scene: StackScene) {
  const selection = () => ({
    status: 'failed' as const,
    created_after: new Date(Date.now() - 60 * 60_000).toISOString(),
  });
  const started = async () => {
    const { client, apiKey, path } = await registered(scene);
    const request = client.api.POST('/v1/webhooks/{id}/replays', { params: { path }, body: selection() });
    const { id: replayId } = await resultOf(request);
    return { apiKey, path: { ...path, replayId }, customerId: client.id };
  };
  const create = async () => apiEvent({ ...(await registered(scene)), method: 'POST', body: selection() });
  return {
    'api/plan-bulk-replay': create,
    'api/create-bulk-replay': create,
    'api/list-bulk-replays': async () => apiEvent(await started()),
    'api/get-bulk-replay': async () => apiEvent(await started()),
    'api/cancel-bulk-replay': async () => apiEvent({ ...(await started()), method: 'POST' }),
    'queue/replay': async () => {
      const { customerId, path } = await started();
      const key = { customerId, webhookId: path.id, id: path.replayId };
      return batchOf([toReplayMessage({ key, step: 1 })]);
    },
  };
}

function workEvents(scene: StackScene) {
  const endpoint = once(() => registered(scene));
  const deliver = async () => {
    const { client, path } = await endpoint();
    return batchOf([await waitingAttempt(scene.table, client.id, path.id)]);
  };
  return {
    'queue/intake': async () => {
      const { client } = await endpoint();
      return batchOf([exampleMessage('run.settled', { customer: client.id }, Date.now(), randomBytes)]);
    },
    'queue/deliver': deliver,
    'queue/deliver-slow': deliver,
    'schedule/sweep': async () => ({}),
    'schedule/audit': async () => ({}),
    ...operatorEvents(scene, async () => (await endpoint()).client.id),
    'smoke/receive': async () => receivedPost(),
  };
}

function operatorEvents({ table, newKey }: StackScene, customer: () => Promise<string>) {
  const ofCustomer = async () => ({ customer_id: await customer() });
  return {
    'operator/create-customer': async () => ({ name: 'Cold', reference: randomUUID() }),
    'operator/list-customers': async () => ({}),
    'operator/create-api-key': async () => ({ ...(await ofCustomer()), idempotency_key: randomUUID() }),
    'operator/list-api-keys': ofCustomer,
    'operator/revoke-api-key': async () => {
      await newKey(table, await customer());
      const [key] = await readApiKeys(table, await customer());
      return { ...(await ofCustomer()), key_id: key?.id };
    },
    'operator/create-portal-link': ofCustomer,
  };
}

/** A POST to a function URL. */
function receivedPost() {
  return {
    rawPath: `/${randomUUID()}`,
    rawQueryString: '',
    headers: { 'content-type': 'application/json' },
    body: '{"type":"run.completed"}',
    isBase64Encoded: false,
    requestContext: { requestId: randomUUID(), timeEpoch: Date.now(), http: { method: 'POST' } },
  };
}
