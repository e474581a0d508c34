import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { authenticateToken } from '#shared/auth/authenticate.ts';
import { localAddress } from '#shared/aws/client-settings.ts';
import { markRevoked, storeConnection, storeOrganization } from '#shared/aws/table/credentials/connections.ts';
import {
  findApiKey,
  findReference,
  readCustomers,
  storeApiKey,
  storeCustomer,
} from '#shared/aws/table/credentials/customers.ts';
import {
  closeCustomer,
  countRows,
  type Erasing,
  erasePass,
  forgetCustomer,
} from '#shared/aws/table/credentials/erase-customer.ts';
import { findPortalLink, storePortalLink } from '#shared/aws/table/credentials/portal-links.ts';
import { admitRequest } from '#shared/aws/table/credentials/rate-windows.ts';
import { storeDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { storeActivity } from '#shared/aws/table/endpoints/activity.ts';
import { deleteEndpoint, reserveEndpoint } from '#shared/aws/table/endpoints/endpoint-slots.ts';
import { listLiveEndpoints } from '#shared/aws/table/endpoints/endpoints.ts';
import {
  cursorSecretKey,
  customerReferenceKey,
  earlierTombstoneKey,
  eventReplayKey,
  runningReplayKey,
} from '#shared/aws/table/keys.ts';
import { beginRequest } from '#shared/aws/table/requests/requests.ts';
import { owners } from '#shared/aws/table/row-owner.ts';
import { connectScanner } from '#shared/aws/table-scanner.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { partitions } from '#shared/contract/table-schema.ts';
import { customerMemory } from '#shared/domain/customer.ts';
import { makeId } from '#shared/domain/ids.ts';
import { keyedRequest, requestKey } from '#shared/domain/request-key.ts';
import { createCustomerOnce } from '#shared/operations/operator/create-customer.ts';
import { deleteCustomer, quietTime } from '#shared/operations/operator/delete-customer.ts';
import { dyingTable } from '../support/aws/dying-table.ts';
import { type TestTable, useTable } from '../support/aws/table.ts';
import { dueFor } from '../support/operations/delivering.ts';
import { createClock } from '../support/operations/deps.ts';
import { tableDelivering } from '../support/operations/table-delivering.ts';
import { tableIntake } from '../support/operations/table-intake.ts';
import {
  acknowledged,
  buildApiKey,
  buildConnection,
  buildDelivery,
  buildEndpoint,
  buildPortalLink,
  minute,
  startOfTest,
} from '../support/values/builders.ts';
import { intakeExamples } from '../support/values/intake-messages.ts';

const { current } = useTable();

/** The id of one neighbour begins with the id of the customer, and that of another one is part of it. */
const customer = 'cus_one';
const neighbours = ['cus_one1', 'cus_on', 'cus_other'];

type Snapshot = ReadonlyMap<string, string>;

async function readRows() {
  const { rows, next } = await scannerOf(current()).scan({ ConsistentRead: true });
  expect(next, 'one page has all rows').toBeNull();
  return rows;
}

/** Every row of the table as text, by its key. */
const snapshot = async (): Promise<Snapshot> =>
  new Map((await readRows()).map((row) => [`${row.pk} ${row.sk}`, textOf(row)]));

/** The members of maps and sets have no order. */
const textOf = (row: object) =>
  inspect(row, { depth: null, sorted: true, maxArrayLength: null, maxStringLength: null });

/** Keys of rows that are gone or not what they were. */
const changed = (before: readonly (readonly [string, string])[], after: Snapshot) =>
  before
    .filter(([key, text]) => after.get(key) !== text)
    .map(([key]) => key)
    .toSorted();

function scannerOf({ name, endpoint }: TestTable) {
  return connectScanner(name, localAddress(endpoint, 'us-east-1'));
}

const isOf = (id: string) => (text: string) => new RegExp(`\\b${id}\\b`).test(text);
/** Rows that name the customer in a key or an attribute. */
const rowsOf = (id: string, rows: Snapshot) =>
  [...rows].filter(([key, text]) => isOf(id)(key) || isOf(id)(text)).map(([key]) => key);
const withoutRowsOf = (id: string, rows: Snapshot) => {
  const left = new Set(rowsOf(id, rows));
  return [...rows].filter(([key]) => !left.has(key));
};

/** The counted requests of the customer's credentials, which do not name the customer. */
const requests = ['aky', 'con', 'plk'].map((kind) => `RATE#${kind}_${customer.length} RATE`);

const messagesFor = (id: string, run: string) =>
  Object.values(intakeExamples).map((message) =>
    intakeMessage.parse({
      ...message,
      customer_id: id,
      ...('run_id' in message ? { run_id: run } : {}),
      ...('run' in message ? { run: { ...message.run, id: run } } : {}),
      ...('change_report' in message
        ? { change_report: { ...message.change_report, id: `chg_${run}`, run_id: run } }
        : {}),
    }),
  );

const webhookOf = (id: string, name: string) => `whk_${name}${id.length}`;

const apiKey = (id: string, customerId: string) => buildApiKey({ id: `aky_${id}`, customerId, hash: id });

/** Stores every kind of row of a customer. */
async function fill(id: string) {
  const table = current();
  const named = { id, name: `Name of ${id.length}`, reference: `own${id.length}`, createdAt: startOfTest };
  await storeCustomer(table, named);
  const key = apiKey(`${id.length}`, id);
  await storeApiKey(table, key);
  await storeConnection(table, buildConnection({ id: `con_${id.length}`, organization: id }));
  const link = buildPortalLink({ id: `plk_${id.length}`, customerId: id, hash: `link${id.length}` });
  await storePortalLink(table, link);
  for (const credentialId of [key.id, `con_${id.length}`, link.id]) {
    await admitRequest(table, { credentialId, now: startOfTest, mark: 'mark' });
  }
  const endpoints = ['a', 'b'].map((name) =>
    buildEndpoint({ id: webhookOf(id, name), customerId: id, lastDeliveryAt: startOfTest }),
  );
  for (const [index, endpoint] of endpoints.entries()) {
    const keys = { customerId: id, webhookId: endpoint.id };
    await reserveEndpoint(table, endpoint, buildDelivery({ ...keys, attempts: 1 }, 10 + index));
    await storeDelivery(table, buildDelivery(keys, 20 + index), startOfTest);
    await table.putItems([eventReplayKey(buildDelivery(keys, 20 + index), 'evt_1')]);
  }
  await deleteEndpoint(table, id, webhookOf(id, 'b'), startOfTest);
  await storeActivity(table, {
    ...{
      id: makeId('activity', startOfTest, randomBytes(10)),
      customerId: id,
      webhookId: webhookOf(id, 'a'),
    },
    ...{ action: 'registered', credentialId: key.id, subjectId: null },
  });
  const earlier = { ...earlierTombstoneKey(id, 'whk_old'), status: 'deleted' };
  await beginRequest(
    table,
    keyedRequest(requestKey(id, 'key'), 'registerWebhook'),
    { token: 'try', leaseUntil: startOfTest },
    startOfTest,
  );
  const unknown = { pk: `NEW#${id}#thing`, sk: 'THING' };
  const running = { ...runningReplayKey(id, webhookOf(id, 'a')), replay_id: 'rpl_1' };
  await table.putItems([earlier, unknown, running]);
}

/** A worker of the operator that does something after each page of its scan. */
function scanning(erasing: Erasing, afterPage: () => Promise<unknown>): Erasing {
  const { scanner } = erasing;
  const scan: typeof scanner.scan = async (input) => {
    const page = await scanner.scan(input);
    await afterPage();
    return page;
  };
  return { ...erasing, scanner: { ...scanner, scan } };
}

/** Stores every kind of row of each customer. @returns the rows, and what the intake put on the queues */
async function fillTable() {
  const { accept, queued } = tableIntake(
    current(),
    () => startOfTest,
    () => {},
  );
  for (const id of [customer, ...neighbours]) {
    await fill(id);
    await accept(messagesFor(id, 'run_1'));
    // Rows that no list reaches: items of a Run that was never stored.
    await accept([intakeMessage.parse({ ...intakeExamples['run.items_saved'], customer_id: id, run_id: 'run_lost' })]);
  }
  await current().putItems([{ ...cursorSecretKey, secret: 'secret' }]);
  return { rows: await readRows(), queued };
}

/** What the first table was filled with: the others get the same rows with a tenth of the requests. */
let filled: Awaited<ReturnType<typeof fillTable>> | undefined;

/** Every kind of row of each customer, and what acts on them. */
async function openFilledWorld() {
  if (filled === undefined) filled = await fillTable();
  else await current().putItems(filled.rows);
  const table = current();
  const clock = createClock(startOfTest);
  const intake = tableIntake(table, clock.now, () => {});
  intake.queued.push(...filled.queued);
  const accept = (id: string, run: string) => intake.accept(messagesFor(id, run));
  const erasing: Erasing = { table, scanner: scannerOf(table), now: clock.now };
  const erase = (given: Partial<Erasing> = {}, meanwhile: () => Promise<unknown> = async () => {}) => {
    const parts = { ...erasing, ...given };
    return deleteCustomer({
      now: clock.now,
      wait: async (milliseconds) => {
        clock.pass(milliseconds / 2);
        await meanwhile();
        clock.pass(milliseconds / 2);
        await meanwhile();
      },
      closeCustomer: closeCustomer(parts),
      erasePass: erasePass(parts),
      forgetCustomer: forgetCustomer(parts),
      onStep: () => {},
    })({ id: customer });
  };
  return { clock, intake, accept, erasing, erase, before: await snapshot() };
}

/** Kinds of rows that name their customer. */
const everyKind = Object.entries(owners)
  .flatMap(([name, owner]) => (owner === 'index' ? [] : [name]))
  .toSorted();
const kindsOf = (rows: Snapshot) =>
  Object.entries(partitions)
    .filter(([, beginning]) => [...rows.keys()].some((key) => key.startsWith(beginning)))
    .map(([name]) => name)
    .toSorted();

describe('the deletion of a customer', () => {
  it('the deletion of a customer leaves no row that names the customer, and every other row as it was', async () => {
    const { erase, before } = await openFilledWorld();
    expect(kindsOf(before), 'there are rows of every kind').toEqual(everyKind);

    const { passes, removed } = await erase();

    const after = await snapshot();
    expect(rowsOf(customer, after)).toEqual([]);
    const others = withoutRowsOf(customer, before).filter(([key]) => !requests.includes(key));
    expect(changed(others, after)).toEqual([]);
    expect(after.size).toBe(others.length);
    expect(passes).toBe(2);
    expect(removed).toMatchObject({ deliveries: 6, connection: 2, eventReplays: 2, other: 1 });
  });

  it('the deletion of a customer counts what it would remove, and changes nothing', async () => {
    const { erasing, before } = await openFilledWorld();
    const told: (readonly [read: number, found: number])[] = [];

    const counted = await countRows(erasing)(customer, (...progress) => void told.push(progress));

    const total = Object.values(counted).reduce((sum, count) => sum + count, 0);
    expect(total).toBe(rowsOf(customer, before).length);
    expect(told.at(-1)).toEqual([before.size, total]);
    expect(await snapshot()).toEqual(before);
  });

  it('the deletion of a customer is completed by running it again, wherever it was interrupted', async () => {
    const { erase, erasing, before } = await openFilledWorld();
    const others = withoutRowsOf(customer, before);
    let interruptions = 0;
    for (let writes = 1; ; writes += 1) {
      const end = await erase({ table: dyingTable(erasing.table, writes) }).catch((error: unknown) => error);
      const listed = (await readCustomers(current())).map(({ id }) => id);
      if (!(end instanceof Error)) break;
      interruptions += 1;
      expect(listed, 'an interrupted deletion stays listed').toContain(customer);
    }

    const after = await snapshot();
    expect(interruptions).toBeGreaterThan(5);
    expect(rowsOf(customer, after)).toEqual([]);
    expect(changed(others, after)).toEqual(requests);
  });

  it('the deletion of a customer leaves nothing of the customer while messages and attempts about it go on', async () => {
    const { erase, accept, intake, clock, erasing } = await openFilledWorld();
    const worker = tableDelivering(current(), async () => acknowledged, startOfTest);
    let runs = 0;
    const load = async () => {
      worker.clock.pass(minute);
      await worker.deliver(intake.queued.splice(0));
      const results = await accept(customer, `run_load${runs}`);
      await accept('cus_other', `run_load${runs}`);
      runs += 1;
      return results;
    };
    const early = await load();
    const before = await snapshot();

    const { passes } = await erase(scanning(erasing, load), load);
    const late = await load();

    expect(early).toEqual(Object.keys(intakeExamples).map(() => 'done'));
    expect(late).toEqual(Object.keys(intakeExamples).map(() => ({ refused: 'unknown_customer' })));
    expect(passes).toBeGreaterThanOrEqual(2);
    expect(clock.now() - startOfTest).toBeGreaterThanOrEqual(quietTime);
    const after = await snapshot();
    expect(rowsOf(customer, after)).toEqual([]);
    const untouched = withoutRowsOf(customer, before).filter(
      ([key]) => /cus_one1|cus_on\b/.test(key) || key.startsWith('CUSTOMERS'),
    );
    expect(changed(untouched, after)).toEqual([]);
    expect([...after.keys()].filter((key) => key.includes('cus_other#run_load')).length).toBeGreaterThan(runs);
  });

  it('the deletion of a customer ends every credential, attempt and registration before it removes other rows, and takes no event from then on', async () => {
    const { erasing, intake, clock } = await openFilledWorld();
    const sent: unknown[] = [];
    const post = async (request: unknown) => {
      sent.push(request);
      return acknowledged;
    };
    const worker = tableDelivering(current(), post, startOfTest);
    const pending = buildDelivery({ customerId: customer, webhookId: webhookOf(customer, 'a') }, 20);
    const late = buildEndpoint({ id: webhookOf(customer, 'late'), customerId: customer });
    const handshake = buildDelivery({ customerId: customer, webhookId: late.id, attempts: 1 }, 30);
    await storeConnection(current(), buildConnection({ id: 'con_selected', organization: null }));
    await storeOrganization(current(), 'con_selected', customer);
    const tokens = [`con_${customer.length}`, 'con_selected'];
    const authenticate = authenticateToken({
      verifyToken: async (token) => token,
      table: current(),
    });
    for (const token of tokens) expect(await authenticate(token)).toMatchObject({ customerId: customer });

    await closeCustomer(erasing)(customer);
    await worker.deliver([dueFor(1, pending)]);

    expect(sent).toEqual([]);
    for (const token of tokens) {
      await expect(authenticate(token)).rejects.toMatchObject({ code: 'connection_revoked' });
    }
    expect(await findApiKey(current(), `${customer.length}`)).toBeNull();
    expect(await findPortalLink(current(), `link${customer.length}`)).toBeNull();
    expect(await listLiveEndpoints(current(), customer)).toEqual([]);
    expect(await storeApiKey(current(), apiKey('new', customer))).toBe(false);
    const another = buildConnection({ id: 'con_new', organization: customer });
    expect(await storeConnection(current(), another)).toBe(false);
    expect(await reserveEndpoint(current(), late, handshake)).toBe('limit_reached');
    clock.pass(customerMemory);
    const settled = messagesFor(customer, 'run_late').filter(({ type }) => type === 'run.settled');
    expect(await intake.accept(settled)).toEqual([{ refused: 'unknown_customer' }]);
    expect(intake.queued.filter(({ key }) => key.webhookId === late.id)).toEqual([]);
  });

  it('the deletion of a customer ends the keys that are issued at any moment of its first step', async () => {
    const { erasing } = await openFilledWorld();
    const { client } = current();
    const issued: string[] = [];
    const issue = async () => {
      const key = apiKey(`issued${issued.length}`, customer);
      if (await storeApiKey(current(), key)) issued.push(key.hash);
    };
    const issuing =
      <Input, Result>(call: (input: Input) => Promise<Result>) =>
      async (input: Input) => {
        await issue();
        return await call(input);
      };
    const { query, batchWrite, update } = client;
    const calls = { query: issuing(query), batchWrite: issuing(batchWrite), update: issuing(update) };

    await closeCustomer({ ...erasing, table: { ...current(), client: { ...client, ...calls } } })(customer);

    expect(issued).not.toEqual([]);
    expect(await Promise.all(issued.map((hash) => findApiKey(current(), hash)))).toEqual(issued.map(() => null));
  });

  it('the deletion of a customer keeps its reference for itself until it has ended', async () => {
    const { erase, clock } = await openFilledWorld();
    const create = createCustomerOnce({ table: current(), now: clock.now, randomBytes });
    const sameAccount = { name: 'Again', reference: `own${customer.length}` };

    await erase({}, async () => expect(await create(sameAccount)).toBeNull());

    expect(await create(sameAccount)).toMatchObject({ isNew: true });
  });

  it('the deletion of a customer leaves the reference to another customer that got it meanwhile', async () => {
    const { erase } = await openFilledWorld();
    const reference = `own${customer.length}`;
    await current().putItems([{ ...customerReferenceKey(reference), customer_id: 'cus_other' }]);

    await erase();

    expect(await findReference(current(), reference)).toBe('cus_other');
  });

  it('the deletion of a customer keeps a connection that changes to another customer during the deletion', async () => {
    const { erasing } = await openFilledWorld();
    const id = `con_${customer.length}`;
    const moving = scanning(erasing, () => storeOrganization(current(), id, 'cus_other'));

    await erasePass(moving)(customer, { isLast: true, onProgress: () => {} });

    expect(await markRevoked(current(), id, startOfTest)).toMatchObject({ organization: 'cus_other' });
  });
});
