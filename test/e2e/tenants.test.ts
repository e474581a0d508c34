import { beforeAll, describe, expect, it } from 'vitest';
import { isPublic, type OperationName, operationNames, routes } from '#shared/contract/routes.ts';
import { withId } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';

const stack = useStack();

/** A customer's records, as values of path parameters by the path up to the parameter's end. */
type Belongings = Readonly<Record<string, string>>;

/** A bulk replay of everything that failed. */
const selection = { status: 'failed', created_after: '2026-01-01T00:00:00.000Z' };
/** Bodies of the operations that need one, so that nothing but the record is missing. */
const bodies: { readonly [operation in OperationName]?: object } = {
  createBulkReplay: selection,
  planBulkReplay: selection,
  sendExample: { type: 'run.completed' },
};

const [platform, handle] = ['tiktok', 'example'];
const [run, tracker] = ['run_stored', 'trk_stored'];

async function fillUp(customer: StackCustomer): Promise<Belongings> {
  const { webhook, test_delivery } = await customer.register(customer.receiver('hooks'));
  const of = { customer: customer.id, run, tracker, platform, handle };
  for (const type of [
    'tracker.saved',
    'change_report.written',
    'run.items_saved',
    'creator_videos.saved',
    'run.settled',
  ]) {
    await customer.emit(type, of);
  }
  await customer.stored(
    `/v1/runs/${run}/items`,
    `/v1/trackers/${tracker}/changes`,
    `/v1/creators/${platform}/${handle}/videos`,
  );
  const started = await customer.request('POST', `/v1/webhooks/${webhook.id}/replays`, selection);
  return {
    '/v1/webhooks/{id}': webhook.id,
    '/v1/webhooks/{id}/replays/{replayId}': withId.parse(started.body).id,
    '/v1/webhooks/{id}/deliveries/{deliveryId}': test_delivery.id,
    '/v1/runs/{id}': run,
    '/v1/trackers/{id}': tracker,
    '/v1/creators/{platform}': platform,
    '/v1/creators/{platform}/{handle}': handle,
  };
}

/** The path of an operation on a customer's records. */
function pathOf(operation: OperationName, belongings: Belongings): string {
  const { path } = routes[operation];
  return path.replace(/\{\w+\}/g, (_parameter, offset: number) => {
    const end = path.indexOf('}', offset) + 1;
    const value = belongings[path.slice(0, end)];
    if (value === undefined) throw new Error(`Nothing is known for ${path.slice(0, end)}: give the test one`);
    return value;
  });
}

const withParameters = operationNames.filter((name) => !isPublic(name) && routes[name].path.includes('{'));

describe('records of another customer', () => {
  let belongings: Belongings;
  let owner: StackCustomer;
  let stranger: StackCustomer;
  beforeAll(async () => {
    [owner, stranger] = [await stack.newCustomer(), await stack.newCustomer()];
    belongings = await fillUp(owner);
  });

  it.each(withParameters)("another customer's record is not found by %s, and not touched", async (operation) => {
    const path = pathOf(operation, belongings);
    const { method } = routes[operation];

    const answer = await stranger.request(method, path, bodies[operation]);

    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found', status: 404 } });
    expect(await owner.webhook(belongings['/v1/webhooks/{id}'] ?? '')).toMatchObject({
      status: 'active',
      previous_secret_expires_at: null,
    });
    // The path leads to a record, for its owner.
    if (method === 'GET') expect(await owner.request(method, path)).toMatchObject({ status: 200 });
  });

  const webhooks = '/v1/webhooks/{id}';
  const deliveries = '/v1/webhooks/{id}/deliveries/{deliveryId}';
  const [notFound, emptyList] = [
    { status: 404, body: { code: 'not_found' } },
    { status: 200, body: { items: [] } },
  ];

  it.each([
    ['source_webhook_id', webhooks, (id: string) => replay({ ...selection, source_webhook_id: id }), notFound],
    ['delivery_ids', deliveries, (id: string) => replay({ status: 'failed', delivery_ids: [id] }), notFound],
    ['run_id', '/v1/runs/{id}', (id: string) => list(`run_id=${id}`), emptyList],
  ])("%s of another customer's record gets the answer of one that does not exist", async (_, place, ask, wanted) => {
    const theirs = belongings[place] ?? '';
    const none = `${theirs.slice(0, -2)}00`;

    const [answer, other] = [await ask(theirs), await ask(none)];

    expect(answer).toMatchObject(wanted);
    const withoutIds = (given: object) =>
      JSON.stringify(given, (name, value) => (name === 'instance' ? '' : value)).replaceAll(/\w+_\w+(?=`)/g, 'id');
    expect(withoutIds(answer)).toBe(withoutIds(other));
  });

  const replay = async (body: object) => {
    const own = (await stranger.webhooks())[0] ?? (await stranger.register(stranger.receiver('own'))).webhook;
    return await stranger.request('POST', `/v1/webhooks/${own.id}/replays`, body);
  };
  const list = (query: string) => stranger.request('GET', `/v1/deliveries?${query}`);
});
