import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { deleteAll } from '#shared/aws/table/batches.ts';
import { storeCustomer, updateCustomer } from '#shared/aws/table/credentials/customers.ts';
import { toDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { deleteEndpoint } from '#shared/aws/table/endpoints/endpoint-slots.ts';
import { customerKey } from '#shared/aws/table/keys.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { makeId } from '#shared/domain/ids.ts';
import type { DeliveryCriteria } from '#shared/operations/customer/list-deliveries.ts';
import { searchDeliveries } from '#shared/operations/operator/find-deliveries.ts';
import { useTable } from '../support/aws/table.ts';
import { createClock } from '../support/operations/deps.ts';
import { tableIntake } from '../support/operations/table-intake.ts';
import { adminJson, runAdmin, useOperator } from '../support/stack/operate.ts';
import { buildStackFile } from '../support/stack/stack-file.ts';
import { buildDelivery, buildEndpoint, hour, minute, rejectedAttempt } from '../support/values/builders.ts';
import { settledMessage } from '../support/values/intake-messages.ts';

const { current } = useTable();

const day = 24 * hour;
/** The commands read the clock of the machine, so the world of these tests is a day old. */
const start = Date.now() - day;
const id = (kind: Parameters<typeof makeId>[0], name: string, at = start) => makeId(kind, at, digest(name));

const anna = id('customer', 'anna');
/** Made on a machine whose clock is ahead. */
const bert = id('customer', 'bert', start + hour);
const late = id('customer', 'late', start + 30 * day);
const annas = [1, 2].map((number) => id('webhook', `anna ${number}`, start + number));
const [annasFirst = '', annasSecond = ''] = annas;
const berts = id('webhook', 'bert');

const { stackFile } = useOperator();
let file: string;
beforeEach(async () => {
  const { name, endpoint } = current();
  const nowhere = buildStackFile();
  const endpoints = { ...nowhere.endpoints, dynamodb: endpoint };
  file = await stackFile({ stack: { ...nowhere, table_name: name, endpoints } });
  for (const customer of [anna, bert, late])
    await storeCustomer(current(), { id: customer, name: `The ${customer}`, createdAt: start });
  const own = annas.map((webhook) => buildEndpoint({ id: webhook, customerId: anna }));
  await current().putEndpoints(...own, buildEndpoint({ id: berts, customerId: bert }));
});

/** Stores a delivery to an endpoint. */
async function store(createdAt: number, given: Partial<Delivery>, attributes = {}): Promise<Delivery> {
  const delivery = buildDelivery({ id: deliveryId(createdAt, digest('stored'), 1), ...given });
  await current().putItems([{ ...toDeliveryItem(delivery), ...attributes }]);
  return delivery;
}

const removeEndpoint = (customerId: string, webhookId: string, deletedAt: number) =>
  deleteEndpoint(current(), customerId, webhookId, deletedAt);

/** Stores the event about a settled Run, with its deliveries. */
async function settle(customer: string, run: string, at = start + minute): Promise<void> {
  const { accept } = tableIntake(current(), createClock(at).now, () => {});
  await accept([settledMessage(run, customer)]);
}

async function search(criteria: DeliveryCriteria, limit = 25, place = {}) {
  current().takeReadRows();
  const found = await searchDeliveries(current(), place, criteria, limit);
  return { ...found, rows: current().takeReadRows() };
}

const at = (deliveries: readonly Delivery[]) => deliveries.map(({ webhookId }) => webhookId).sort();

const admin = (...args: readonly string[]) => runAdmin(...args, '--stack-file', file);

const printed = (...args: readonly string[]) => adminJson(file, ...args);

describe('a search through customers', () => {
  it('a search through customers finds the deliveries of a Run and of its event at all endpoints, reading few rows of each customer, and none of later ones', async () => {
    await settle(anna, 'run_1');
    await settle(bert, 'run_2');

    const ofRun = await search({ run_id: 'run_1' });
    const ofEvent = await search({ event_id: ofRun.deliveries[0]?.event.id });

    for (const { deliveries } of [ofRun, ofEvent]) expect(at(deliveries)).toEqual(annas.toSorted());
    expect(ofRun).toMatchObject({ more: false, searched: { customers: 3, endpoints: 2 }, rows: 10 });
    expect(ofEvent).toMatchObject({ searched: { customers: 2, endpoints: 3 }, rows: 9 });
  });

  it('a search through customers finds a Run of the same id at two customers', async () => {
    await settle(anna, 'run_1');
    await settle(bert, 'run_1');

    expect(at((await search({ run_id: 'run_1' })).deliveries)).toEqual([...annas, berts].toSorted());
  });

  it('a search through customers finds deliveries of a deleted endpoint, unless it was deleted long before', async () => {
    await settle(anna, 'run_1');
    // By a clock that is behind.
    await removeEndpoint(anna, annasFirst, start - hour);

    const ofRun = await search({ run_id: 'run_1' });
    const ofEvent = await search({ event_id: ofRun.deliveries[0]?.event.id });
    for (const { deliveries } of [ofRun, ofEvent]) expect(at(deliveries)).toEqual(annas.toSorted());
    expect(await search({ created_after: start + 2 * day }, 25, { customerId: anna })).toMatchObject({
      searched: { endpoints: 1 },
    });
  });

  it('a search through customers takes the newest of all endpoints, over several pages of a filter, and says whether there are more', async () => {
    for (let number = 0; number < 6; number += 1) await settle(anna, `run_${number}`, start + number);
    const all = await search({ created_after: start }, 100, { customerId: anna });
    const ids = all.deliveries.map((delivery) => delivery.id);

    const some = await search({ status: 'pending' }, 7, { customerId: anna });
    const exactly = await search({ status: 'pending' }, 12, { customerId: anna });

    expect(ids).toEqual(ids.toSorted().reverse());
    expect(some).toMatchObject({ more: true, deliveries: ids.slice(0, 7).map((one) => ({ id: one })) });
    expect(exactly).toMatchObject({ more: false, deliveries: { length: 12 } });
  });
});

describe('admin deliveries', () => {
  it('admin deliveries find prints a table and the next command, and its JSON has the records with their places', async () => {
    await settle(bert, 'run_1');

    const { code, output } = await admin('deliveries', 'find', '--run', 'run_1');
    const json = await printed('deliveries', 'find', '--endpoint', berts);
    await settle(anna, 'run_2');
    const some = await admin('deliveries', 'find', '--run', 'run_2', '--limit', '1');

    expect(code).toBe(0);
    expect(some.output).toContain('\nThere are more than 1: raise --limit, or narrow the search with --until\n');
    expect(output).toMatch(/^DELIVERY .*\nwhd_\w{26} .* pending .* run\.completed/);
    expect(output).toMatch(
      new RegExp(
        `Looked through 3 customers and 1 endpoint\nNext: npm run admin -- deliveries show whd_\\w{26} --customer ${bert} --endpoint ${berts} --stack-file \\S+\n$`,
      ),
    );
    expect(json).toMatchObject({
      deliveries: [{ run_id: 'run_1', status: 'pending', customer_id: bert, webhook_id: berts }],
      more: false,
      searched: { customers: 1, endpoints: 1 },
    });
  });

  it('admin deliveries find looks at the last seven days of a customer unless --since says otherwise', async () => {
    const delivery = await store(start - 10 * day, { customerId: bert, webhookId: berts });

    const none = await admin('deliveries', 'find', '--customer', bert);
    const span = ['--since', '30d', '--until', '2d'];
    const since = await printed('deliveries', 'find', '--customer', bert, ...span);

    expect(none).toEqual({
      code: 0,
      output: expect.stringMatching(
        /^No deliveries found\. Looked through 1 customer and 1 endpoint, at deliveries since \S+; look further back with --since\n$/,
      ),
    });
    expect(since).toMatchObject({ deliveries: [{ id: delivery.id }] });
  });

  it('admin deliveries show finds a delivery by its id alone, and shows its attempts and its body', async () => {
    const failed = { status: 'failed', attempts: 1, log: [rejectedAttempt] } as const;
    const replayed = { replayOf: 'whd_1', sourceWebhookId: annasFirst };
    const delivery = await store(start, { customerId: anna, webhookId: annasSecond, ...failed, ...replayed });

    const { code, output } = await admin('deliveries', 'show', delivery.id);
    const placed = ['--customer', anna, '--endpoint', annasSecond];
    const json = await printed('deliveries', 'show', delivery.id, ...placed);

    expect(code).toBe(0);
    expect(output).toMatch(/^Delivery whd_\w+: failed after 1 attempt\n/);
    expect(output).toContain(`Body:          ${delivery.body}\n`);
    expect(output).toContain(`Replay of:     whd_1\nOf endpoint:   ${annasFirst}\n`);
    expect(output).toContain('     rejected 500 after 61 ms: first byte 60 ms\n');
    expect(json).toMatchObject({
      id: delivery.id,
      customer_id: anna,
      webhook_id: annasSecond,
      attempt_log: [{}],
    });
  });

  it('admin deliveries show finds no delivery that has expired, although DynamoDB has not removed it yet', async () => {
    const { id } = await store(start, { customerId: anna, webhookId: annasSecond }, { expires_at: start / 1000 });

    expect((await admin('deliveries', 'show', id)).output).toMatch(/^Delivery whd_\w+ not found/);
  });
});

describe('admin webhooks', () => {
  it('admin webhooks list shows the live endpoints of a customer, and deleted ones when asked', async () => {
    await removeEndpoint(anna, annasFirst, start + minute);

    const live = await printed('webhooks', 'list', '--customer', anna);
    const all = await printed('webhooks', 'list', '--customer', anna, '--deleted');

    expect(live).toMatchObject([{ id: annasSecond, status: 'active', customer_id: anna }]);
    expect(all).toMatchObject([{ id: annasSecond }, { id: annasFirst, status: 'deleted' }]);
    expect((await admin('webhooks', 'list', '--customer', late)).output).toBe(
      'No endpoints. The customer registers one with POST /v1/webhooks\n',
    );
  });

  it('admin webhooks show finds an endpoint by its id alone, deleted or not, and prints no secret', async () => {
    await removeEndpoint(anna, annasFirst, start + minute);

    const { output } = await admin('webhooks', 'show', '--endpoint', annasFirst);
    const json = await printed('webhooks', 'show', '--endpoint', berts, '--customer', bert);

    expect(output).toMatch(new RegExp(`^Endpoint ${annasFirst}: deleted\nCustomer: +${anna}\n`));
    expect(json).toMatchObject({ id: berts, customer_id: bert, delivery_partitions: 1, slow_since: null });
    expect(Object.keys(Object(json))).not.toContain('secret');
  });

  it('admin webhooks spread takes --endpoint, and --webhook as its earlier name', async () => {
    const spread = ['webhooks', 'spread', '--customer', bert];

    expect(await printed(...spread, '--endpoint', berts, '--partitions', '2')).toEqual({
      id: berts,
      delivery_partitions: 2,
    });
    expect(await printed(...spread, '--webhook', berts, '--partitions', '3')).toEqual({
      id: berts,
      delivery_partitions: 3,
    });
    expect((await admin(...spread, '--endpoint', berts, '--partitions', '1')).output).toBe(
      `New deliveries of ${berts} are spread over 3 partitions\nThe number can only be raised\n`,
    );
    expect((await admin('webhooks', 'spread', '--help')).output).not.toContain('--webhook');
  });
});

describe('the credentials of a customer', () => {
  const credential = z.object({ id: z.string(), api_key: z.string().optional(), url: z.string().optional() });
  const time = '\\d{4}-[\\d:.TZ-]+';

  it.each([
    ['keys', ['issue'], 'key', 'api_key', /^ID +KEY +CREATED +REVOKED$/],
    ['portal-link', [], 'link', 'url', /^ID +MAY +CREATED +ENDS +REVOKED$/],
  ] as const)(
    '%s list has a line for each, revoked or not, and prints none',
    async (name, create, kind, secret, head) => {
      const of = ['--customer', anna] as const;
      const none = await admin(name, 'list', ...of);
      const made = credential.parse(await printed(name, ...create, ...of));
      const before = await admin(name, 'list', ...of);
      await admin(name, 'revoke', ...of, `--${kind}`, made.id, '--yes');
      const [first, row = '', ...rest] = (await admin(name, 'list', ...of)).output.split('\n');

      expect(none.output).toMatch(/^No .*: npm run admin -- /);
      expect(first).toMatch(head);
      expect(row).toMatch(new RegExp(`^${made.id} .*${time} +${time}$`));
      expect(before.output.split('\n')[1]).toMatch(new RegExp(`^${made.id} .*${time} +-$`));
      expect(rest).toEqual(['']);
      expect(before.output + row).not.toContain(made[secret]?.replace(/^.*#token=/, '') ?? made.id);
    },
  );
});

describe('admin customers', () => {
  it('admin customers rename changes the name in the list and of the customer, and keeps the rest', async () => {
    await admin('customers', 'rename', '--customer', anna, '--name', '  Anna & Co  ');

    const shown = await printed('customers', 'show', '--customer', anna);
    const list = await printed('customers', 'list');

    const created_at = new Date(start).toISOString();
    expect(shown).toEqual({
      id: anna,
      name: 'Anna & Co',
      public_name: null,
      reference: null,
      metadata: {},
      created_at,
      endpoints: { active: 2, failed: 0 },
      api_keys: { valid: 0, revoked: 0 },
    });
    expect(list).toContainEqual(expect.objectContaining({ id: anna, name: 'Anna & Co', created_at }));
  });

  it('the public name is set, changed and removed apart from the name of the operator', async () => {
    const rename = (...names: readonly string[]) => printed('customers', 'rename', '--customer', anna, ...names);
    await rename('--public-name', ' Anna Films ');

    expect(await printed('customers', 'list')).toContainEqual(
      expect.objectContaining({ id: anna, public_name: 'Anna Films' }),
    );
    expect(await rename('--name', 'Anna, late payer')).toMatchObject({ public_name: 'Anna Films' });
    expect((await admin('customers', 'show', '--customer', anna)).output).toContain('Public name:  Anna Films\n');
    expect(await rename('--public-name', '')).toMatchObject({ name: 'Anna, late payer', public_name: null });
    expect(await printed('customers', 'create', '--name', 'C', '--public-name', 'Cy')).toMatchObject({
      name: 'C',
      public_name: 'Cy',
    });
  });

  it('a reference finds its customer, belongs to one, and can be given, changed and used again', async () => {
    const update = (id: string, ...more: readonly string[]) => admin('customers', 'update', id, ...more);
    const found = async (reference: string) => printed('customers', 'list', '--reference', reference);
    const made = await printed('customers', 'create', '--name', 'D', '--reference', 'acct_1');

    expect(await found('acct_1')).toEqual([made]);
    expect(await admin('customers', 'create', '--name', 'E', '--reference', 'acct_1')).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^Another customer has the reference acct_1\. Show it with: .* --reference acct_1 --stack-file /,
      ),
    });
    expect((await update(anna, '--reference', 'acct_1')).code).toBe(1);
    expect((await update(anna, '--reference', 'acct_2')).code).toBe(0);
    expect((await update(anna, '--reference', 'acct_3')).code).toBe(0);
    expect((await update(bert, '--reference', 'acct_2')).code).toBe(0);
    expect(await found('acct_3')).toEqual([expect.objectContaining({ id: anna, reference: 'acct_3' })]);
    expect(await found('acct_2')).toEqual([expect.objectContaining({ id: bert })]);
    expect(await found('acct_none')).toEqual([]);
    // Its deletion has begun.
    await deleteAll(current(), [customerKey(bert)]);
    expect(await found('acct_2')).toEqual([expect.objectContaining({ id: bert })]);
  });

  it('metadata are added, replaced and removed by name, at most 16', async () => {
    const update = (...members: readonly string[]) =>
      admin('customers', 'update', anna, ...members.flatMap((member) => ['--metadata', member]));
    await update('plan=free', 'email=a=b@example.com');
    await update('plan=pro', 'email=', 'team=7');

    const { output } = await admin('customers', 'show', anna);
    expect(output).toContain('Metadata:     plan=pro, team=7\n');
    const many = Array.from({ length: 15 }, (_, index) => `m${index}=x`);
    expect(await update(...many)).toEqual({ code: 2, output: 'The metadata has 17 members, at most 16' });
  });

  it('of two changes of the metadata at the same time, the later one is refused and changes nothing', async () => {
    const before = { id: anna, name: 'Anna', createdAt: start };
    expect(await updateCustomer(current(), before, { metadata: { plan: 'pro' } })).toBe(true);
    expect(await updateCustomer(current(), before, { metadata: { team: '7' } })).toBe(false);
    const read = { ...before, metadata: { plan: 'pro' } };
    expect(await updateCustomer(current(), read, { metadata: { plan: 'pro', team: '7' } })).toBe(true);
    expect(await updateCustomer(current(), read, { metadata: {} })).toBe(false);

    const { output } = await admin('customers', 'show', anna);
    expect(output).toContain('Metadata:     plan=pro, team=7\n');
  });

  it('admin customers rename makes no customer', async () => {
    const unknown = await admin('customers', 'rename', '--customer', 'cus_none', '--name', 'None');

    expect(unknown).toEqual({ code: 1, output: expect.stringContaining('Customer cus_none not found') });
    expect(await printed('customers', 'list')).toHaveLength(3);
  });
});

it.each([
  [
    ['deliveries', 'find'],
    2,
    'A search needs --event, --run, --customer or --endpoint; customers list shows the customers',
  ],
  [['deliveries', 'find', '--event', 'evt_1'], 2, 'Give an id of the form evt_ and 26 characters'],
  [['deliveries', 'find', '--run', 'one'], 2, 'Give the id of a Run, which begins with run_'],
  [['deliveries', 'find', '--run', 'run_1', '--limit', '0'], 2, 'Give a whole number from 1 to 1000'],
  [['deliveries', 'find', '--run', 'run_1', '--since', '1h', '--until', '2h'], 2, '--until must be later than --since'],
  [
    ['deliveries', 'find', '--customer', 'cus_none'],
    1,
    'Customer cus_none not found. List them with: npm run admin -- customers list',
  ],
  [
    ['customers', 'show', 'cus_none'],
    1,
    'If it is listed, its deletion has not ended; continue that with: npm run admin -- customers delete cus_none',
  ],
  [
    ['deliveries', 'find', '--endpoint', 'whe_none'],
    1,
    'No customer has the endpoint whe_none. List them with: npm run admin -- webhooks list --customer <id> --deleted',
  ],
  [
    ['deliveries', 'find', '--endpoint', 'whe_none', '--customer', anna],
    1,
    `Customer ${anna} has no endpoint whe_none`,
  ],
  [['deliveries', 'show', 'whd_1'], 2, 'Give an id of the form whd_ and 26 characters'],
  [
    ['deliveries', 'show', id('delivery', 'none')],
    1,
    `Delivery ${id('delivery', 'none')} not found. List deliveries with: npm run admin -- deliveries find --customer <id>`,
  ],
  [['customers', 'rename', '--customer', anna], 2, 'add --name, --public-name, --reference or'],
  [['customers', 'rename', '--customer', anna, '--name', ' '], 2, 'The new name is empty'],
  [['webhooks', 'spread', '--customer', bert, '--partitions', '2'], 2, 'give the id of the endpoint'],
] as const)('%j ends with code %i and says what to do', async (args, code, text) => {
  const outcome = await admin(...args);

  expect(outcome).toEqual({ code, output: expect.stringContaining(text) });
  expect(outcome.output.split('\n')).toHaveLength(1);
});
