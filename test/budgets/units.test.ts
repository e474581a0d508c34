import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { operationFolder, operatorFolder } from '#shared/contract/functions.ts';
import { type OperationName, operationNames, routes } from '#shared/contract/routes.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { makeId } from '#shared/domain/ids.ts';
import { retryWaits, waitSpread } from '#shared/domain/retry-plan.ts';
import { exampleMessage, type MessageChoices } from '../../tools/operator/emit/example-messages.ts';
import { type Bill, billOf } from './bill.ts';
import { budgetPage, callName, type Measured } from './budget-page.ts';
import { type ApiCall, type BudgetCustomer, type BudgetWorld, openBudgetWorld } from './budget-world.ts';
import { reasons } from './reasons.ts';

const second = 1_000;
const minute = 60 * second;

let taken = 0;

/** Other bytes for each call, the same in every run: the sizes of example videos depend on them. */
const sameBytes = (size: number): Uint8Array => {
  taken += 1;
  return createHash('shake256', { outputLength: size }).update(String(taken)).digest();
};

let world: BudgetWorld;
let stored: Stored;

/** Calls of all measurements so far. */
const made = new Set<string>();

beforeAll(async () => {
  world = await openBudgetWorld(['One endpoint', 'Five endpoints', 'Requests', 'Failing endpoint']);
  stored = await storeResults(customer(2));
});
afterAll(() => world[Symbol.asyncDispose]());

function customer(index: number): BudgetCustomer {
  const found = world.customers[index];
  if (found === undefined) throw new Error(`There is no customer ${index}`);
  return found;
}

const foundDeliveries = z.object({ items: z.tuple([z.object({ event_id: z.string() })]) });
const listed = z.object({ items: z.tuple([z.object({ id: z.string() })]) });
const registered = z.object({ webhook: z.object({ id: z.string() }) });

async function register(owner: BudgetCustomer): Promise<string> {
  const call = { method: 'POST', route: '/v1/webhooks', body: { url: `${world.receiverOrigin}/events` } };
  const { webhook } = registered.parse(await world.request('api/register-webhook', owner, call));
  return webhook.id;
}

const message = (type: string, choices: MessageChoices) => exampleMessage(type, choices, Date.now(), sameBytes);

/** Measures what the functions call while `run` runs. */
async function measure(title: string, run: () => Promise<unknown>): Promise<Measured> {
  world.calls();
  await run();
  return { title, calls: world.calls() };
}

const trickle = 'Next event, after 10 s';
const burst = 'Ten events of one customer in one batch, after 10 s';
const failure = 'One event that fails three times, alone in its batches';

/** The most that one event may consume, whatever is recorded. */
const eventBudgets: readonly (readonly [title: string, events: number, unit: keyof Bill, most: number])[] = [
  [trickle, 1, 'writeUnits', 5],
  [trickle, 1, 'readUnits', 2],
  [trickle, 1, 'schedules', 0],
  [burst, 10, 'writeUnits', 5],
  [burst, 10, 'readUnits', 1.5],
  [burst, 10, 'sqsRequests', 1],
  [burst, 10, 'schedules', 0],
  // One for each retry.
  [failure, 1, 'schedules', 2],
];

/** After a time, passes settled Runs to the intake in one batch, and all that it queues to the deliveries in batches of ten. */
async function settleRuns(owner: BudgetCustomer, count = 1, wait = 0): Promise<readonly string[]> {
  world.advance(wait);
  const runs = Array.from({ length: count }, () => message('run.settled', { customer: owner.id }));
  await world.process('queue/intake', runs);
  const due = await world.queued();
  await world.process('queue/deliver', due);
  return due;
}

it('the calls and units of an event are as recorded in events.md, and within its budgets', async () => {
  await register(customer(0));
  for (let count = 0; count < 5; count += 1) await register(customer(1));
  const failing = await register(customer(3));
  await settleRuns(customer(3));
  world.advance(10 * minute);

  const sections = [
    await measure('First event of a customer in an execution environment', () => settleRuns(customer(0))),
    await measure(trickle, () => settleRuns(customer(0), 1, 10 * second)),
    await measure('Next event, after 2 minutes', () => settleRuns(customer(0), 1, 2 * minute)),
    await measure('Next event, after 5 minutes', () => settleRuns(customer(0), 1, 5 * minute)),
    await measure(burst, () => settleRuns(customer(0), 10, 10 * second)),
    await measure('One event for five endpoints, the first for them', () => settleRuns(customer(1))),
    await measure('One event for five endpoints, after 10 s', () => settleRuns(customer(1), 1, 10 * second)),
    await measure('One event that waits two minutes in the delivery queue', settleLate),
    await measure(failure, failThreeTimes),
    await measure('Sweep when nothing is overdue', () => world.invoke('schedule/sweep', {})),
    await measure('Sweep of one overdue delivery', sweepOverdue),
    await measure('Hourly audit, with no delivery of its hours', auditNothing),
    await measure('Bulk replay of one failed delivery, in one step', () => replayFailed(failing)),
  ];
  await world.queued();

  const bills = new Map(sections.map(({ title, calls }) => [title, billOf(calls)]));
  for (const [title, events, unit, most] of eventBudgets) {
    expect(bills.get(title)?.[unit], `${unit}: ${title}`).toBeLessThanOrEqual(most * events);
  }
  await recorded('What an event costs', sections, 'events.md');
});

async function settleLate(): Promise<void> {
  await world.process('queue/intake', [message('run.settled', { customer: customer(3).id })]);
  const due = await world.queued();
  world.advance(2 * minute);
  await world.process('queue/deliver', due);
}

/** Plays the messages that the schedules send. */
async function failThreeTimes(): Promise<void> {
  world.answerWith(500);
  const [first = ''] = await settleRuns(customer(3));
  const due = z.record(z.string(), z.unknown()).parse(JSON.parse(first));
  for (const [index, wait] of retryWaits.entries()) {
    world.advance(wait * (1 + waitSpread) + second);
    await world.process('queue/deliver', [{ ...due, attempt: index + 2 }]);
  }
  world.answerWith(200);
}

/** Fails an attempt and loses its schedule. */
async function sweepOverdue(): Promise<void> {
  world.answerWith(500);
  await settleRuns(customer(3));
  world.answerWith(200);
  world.advance(30 * minute);
  world.calls();
  await world.invoke('schedule/sweep', {});
}

/** What it publishes must not appear among the results of the tests. */
async function auditNothing(): Promise<void> {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await world.invoke('schedule/audit', {});
  vi.restoreAllMocks();
}

/** Starts a bulk replay, and measures its step. */
async function replayFailed(id: string): Promise<void> {
  await world.queued();
  await startBulkReplay(customer(3), id);
  world.advance(4 * second);
  const [step = ''] = await world.queued();
  world.calls();
  await world.process('queue/replay', [step]);
}

const withId = z.object({ id: z.string() });
const failures = { status: 'failed', created_after: '2026-01-01T00:00:00Z' };

async function startBulkReplay(owner: BudgetCustomer, id: string): Promise<string> {
  const call = { method: 'POST', route: '/v1/webhooks/{id}/replays', path: { id }, body: failures };
  return withId.parse(await world.request('api/create-bulk-replay', owner, call)).id;
}

it('the calls and units of a message without endpoints are as recorded in messages.md', async () => {
  await recorded('What a message of the Run engine costs', stored.sections, 'messages.md');
});

it('the calls and units of every route are as recorded in requests.md', async () => {
  const owner = customer(2);
  const requests = await requestsOf(owner, stored);
  const sections: Measured[] = [];
  for (const name of operationNames) {
    const { method, path: route } = routes[name];
    const send = () => world.request(operationFolder(name), owner, { method, route, ...requests[name] });
    // The first list of an execution environment also reads the secret of its cursors.
    if (method === 'GET') await send();
    sections.push(await measure(`${method} ${route}`, send));
  }

  sections.push(...(await measureFilters(owner, requests.listDeliveries)));
  sections.push(...(await measureAllEndpoints(customer(1))));
  sections.push(await measureStats(customer(0)));
  sections.push(await measureFullPages(customer(1)));
  sections.push(...(await measureFullResults(owner, stored)));
  sections.push(...(await measureOperator(owner.id)));

  await recorded('What a request costs', sections, 'requests.md');
});

const withKey = z.object({ id: z.string() });

/** What programs of the operator ask for. */
async function measureOperator(owner: string): Promise<readonly Measured[]> {
  const named = { name: 'Acme', reference: 'acct_1' };
  const key = { customer_id: owner, idempotency_key: 'sign-up-1' };
  const revoked = withKey.parse(
    await world.invoke(operatorFolder('createApiKey'), { ...key, idempotency_key: 'sign-up-2' }),
  );
  const calls = [
    ['createCustomer', named],
    ['createCustomer', named, ', again'],
    ['listCustomers', {}],
    ['listCustomers', { reference: named.reference }, ' by reference'],
    ['createApiKey', key],
    ['createApiKey', key, ', again'],
    ['listApiKeys', { customer_id: owner }],
    ['revokeApiKey', { customer_id: owner, key_id: revoked.id }],
    ['createPortalLink', { customer_id: owner }],
  ] as const;
  const sections: Measured[] = [];
  for (const [operation, request, more = ''] of calls) {
    const folder = operatorFolder(operation);
    sections.push(await measure(`${folder}${more}`, () => world.invoke(folder, request)));
  }
  return sections;
}

/** Of an endpoint with as many deliveries as a batch of its outage. */
async function measureStats(owner: BudgetCustomer): Promise<Measured> {
  world.answerWith(500);
  const count = 49;
  await settleRuns(owner, count);
  world.answerWith(200);
  const { items } = listed.parse(
    await world.request(operationFolder('listWebhooks'), owner, { method: 'GET', route: '/v1/webhooks' }),
  );
  const { method, path: route } = routes.getWebhookStats;
  const call = { method, route, path: { id: items[0].id } };
  const measured = await measure(`${method} ${route}, of ${count} deliveries`, () =>
    world.request(operationFolder('getWebhookStats'), owner, call),
  );
  expect(billOf(measured.calls).readUnits).toBeLessThanOrEqual(8);
  return measured;
}

/** Finds the deliveries of the Run that wrote a Change Report, and those of the event about the report. */
async function measureFilters(owner: BudgetCustomer, { path = {} }: Partial<ApiCall>): Promise<readonly Measured[]> {
  const run = makeId('run', Date.now(), sameBytes(10));
  await world.process('queue/intake', [
    message('change_report.written', { customer: owner.id, tracker: stored.tracker, run }),
  ]);
  const { method, path: route } = routes.listDeliveries;
  const find = (query: Readonly<Record<string, string>>) =>
    world.request(operationFolder('listDeliveries'), owner, { method, route, path, query });
  const { items } = foundDeliveries.parse(await find({ run_id: run }));
  return [
    await measure(`${method} ${route}?run_id`, () => find({ run_id: run })),
    await measure(`${method} ${route}?event_id`, () => find({ event_id: items[0].event_id })),
  ];
}

/** The deliveries of a customer with five endpoints, ten of each. */
async function measureAllEndpoints(owner: BudgetCustomer): Promise<readonly Measured[]> {
  await settleRuns(owner, 10);
  const { method, path: route } = routes.listAllDeliveries;
  const list = (query: Readonly<Record<string, string>> = {}) =>
    world.request(operationFolder('listAllDeliveries'), owner, { method, route, query });
  // The first page that has a next one also reads the secret of the cursors.
  await list();
  return [
    await measure(`${method} ${route}, of five endpoints`, () => list()),
    await measure(`${method} ${route}?status, of five endpoints`, () => list({ status: 'failed' })),
  ];
}

/**
 * The lists of a customer with five endpoints, 60 deliveries of each, and 60 Runs. The size of a delivery varies with the
 * times in its log, so pages of deliveries have only their most.
 */
async function measureFullPages(owner: BudgetCustomer): Promise<Measured> {
  for (let batch = 0; batch < 6; batch += 1) await settleRuns(owner, 10, second);
  const endpoints = z.object({ items: z.array(withId) });
  const { items } = endpoints.parse(
    await world.request(operationFolder('listWebhooks'), owner, { method: 'GET', route: '/v1/webhooks' }),
  );
  const read = async (name: OperationName, query: Readonly<Record<string, string>>, mostReads: number) => {
    const { method, path: route } = routes[name];
    const call = { method, route, path: { id: items[0]?.id ?? '' }, query };
    const send = () => world.request(operationFolder(name), owner, call);
    // The first page that has a next one also reads the secret of the cursors.
    await send();
    const page = await measure(`${method} ${route}, a full page of ${query.limit}`, send);
    expect(billOf(page.calls).readUnits, page.title).toBeLessThanOrEqual(mostReads);
    return page;
  };
  await read('listDeliveries', { limit: '50' }, 10);
  await read('listAllDeliveries', { limit: '100' }, 32);
  await read('listAllDeliveries', { limit: '25', status: 'failed' }, 32);
  return await read('listRuns', { limit: '50' }, 30);
}

/** Lists with more results than fit a page. */
async function measureFullResults(
  owner: BudgetCustomer,
  { run, tracker, creator }: Stored,
): Promise<readonly Measured[]> {
  const [count, limit] = [60, '50'];
  await world.process('queue/intake', [
    message('run.items_saved', { customer: owner.id, run, count }),
    message('creator_videos.saved', { customer: owner.id, ...creator, count }),
    ...Array.from({ length: count }, () => message('change_report.written', { customer: owner.id, tracker })),
  ]);
  const lists = [
    ['listRunItems', { id: run }],
    ['listChangeReports', { id: tracker }],
    ['listCreatorVideos', creator],
  ] as const;
  const sections: Measured[] = [];
  for (const [name, path] of lists) {
    const { method, path: route } = routes[name];
    const send = () => world.request(operationFolder(name), owner, { method, route, path, query: { limit } });
    // The first page that has a next one also reads the secret of the cursors.
    await send();
    sections.push(await measure(`${method} ${route}, a full page of ${limit}`, send));
  }
  return sections;
}

it('rows expire after the days of their kind, in the seconds that DynamoDB reads', async () => {
  const kindAndDays = (await world.rows()).flatMap(({ pk, [tableSchema.expiresAt]: end }) => {
    const days = Math.round((Number(end?.N) - Date.now() / second) / 86_400);
    return end === undefined ? [] : `${String(pk?.S).split('#')[0]} ${days}`;
  });

  // The tallies of a bulk replay stay for longer than itself.
  const expected = ['ACT 90', 'PTL 1', 'RATE 0', 'REQ 1', 'RPL 120', 'RPL 90'];
  expect([...new Set(kindAndDays)].toSorted()).toEqual(expected);
});

it('reasons.ts has no reason for a call that no function makes', () => {
  expect(Object.keys(reasons).filter((name) => !made.has(name))).toEqual([]);
});

async function recorded(heading: string, sections: readonly Measured[], file: string): Promise<void> {
  const names = new Set(sections.flatMap(({ calls }) => calls.map(callName)));
  for (const name of names) made.add(name);
  expect([...names].filter((name) => reasons[name] === undefined).toSorted()).toEqual([]);
  await expect(budgetPage(heading, sections)).toMatchFileSnapshot(`recorded/${file}`);
}

type Stored = Awaited<ReturnType<typeof storeResults>>;

/** Measures one message of each type. */
async function storeResults({ id: owner }: BudgetCustomer) {
  const run = makeId('run', Date.now(), sameBytes(10));
  const tracker = makeId('tracker', Date.now(), sameBytes(10));
  const creator = { platform: 'tiktok', handle: 'example.creator' };
  const messages: readonly (readonly [type: string, choices: MessageChoices])[] = [
    ['run.saved', { customer: owner, run }],
    ['run.items_saved', { customer: owner, run, count: 3 }],
    ['run.settled', { customer: owner, run }],
    ['tracker.saved', { customer: owner, tracker }],
    ['change_report.written', { customer: owner, tracker }],
    ['creator_videos.saved', { customer: owner, ...creator, count: 3 }],
  ];
  // The first message of an execution environment also checks the customer.
  await world.process('queue/intake', [message('run.settled', { customer: owner })]);
  const sections: Measured[] = [];
  for (const [type, choices] of messages) {
    const title = choices.count === undefined ? type : `${type}, ${choices.count} videos`;
    sections.push(await measure(title, () => world.process('queue/intake', [message(type, choices)])));
  }
  return { run, tracker, creator, sections };
}

/** What each route is asked for. */
async function requestsOf(
  owner: BudgetCustomer,
  { run, tracker, creator }: Stored,
): Promise<Readonly<Record<OperationName, Partial<ApiCall>>>> {
  const id = await register(owner);
  const [due = ''] = await settleRuns(owner);
  const deleted = await register(owner);
  const { delivery_id: deliveryId } = z.looseObject({ delivery_id: z.string() }).parse(JSON.parse(due));
  const resent = await register(owner);
  const replayId = await startBulkReplay(owner, resent);
  return {
    registerWebhook: { body: { url: `${world.receiverOrigin}/events` } },
    listWebhooks: {},
    getWebhook: { path: { id } },
    getWebhookStats: { path: { id } },
    listActivity: { path: { id } },
    deleteWebhook: { path: { id: deleted } },
    rotateSecret: { path: { id } },
    listDeliveries: { path: { id } },
    listAllDeliveries: {},
    getDelivery: { path: { id, deliveryId } },
    replayDelivery: { path: { id, deliveryId } },
    sendExample: { path: { id }, body: { type: 'run.completed' } },
    createBulkReplay: { path: { id }, body: failures },
    planBulkReplay: { path: { id }, body: failures },
    listBulkReplays: { path: { id: resent } },
    getBulkReplay: { path: { id: resent, replayId } },
    cancelBulkReplay: { path: { id: resent, replayId } },
    listRuns: {},
    getRun: { path: { id: run } },
    listRunItems: { path: { id: run } },
    getTracker: { path: { id: tracker } },
    listChangeReports: { path: { id: tracker } },
    listCreatorVideos: { path: creator },
    getCredential: {},
    getAddresses: {},
    getProblemPage: { path: { code: 'not_found' } },
  };
}
