import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { storeDelivery } from '#shared/aws/table/deliveries.ts';
import { type ProblemCode, problemCodes } from '#shared/contract/problem-codes.ts';
import { type OperationName, operationNames, type Route, routes } from '#shared/contract/routes.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import type { Answer } from '../../local/parties/customer/customer-client.ts';
import { eventually } from '../support/stack/eventually.ts';
import { useOperator, withId, withKey, withLink, withToken } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';
import { buildDelivery } from '../support/values/builders.ts';

const stack = useStack();
const { operate } = useOperator();

/** A customer's records, as values of path parameters by the path up to the parameter's end. */
type Belongings = Readonly<Record<string, string>>;

/** A bulk replay of everything that failed. */
const selection = { status: 'failed', created_after: '2026-01-01T00:00:00.000Z' };
/** Bodies of the operations that need one, so that nothing but the record is missing. */
const bodies: { readonly [operation in OperationName]?: object } = {
  createBulkReplay: selection,
  planBulkReplay: selection,
};

const platform = 'tiktok';
const handle = 'example';

async function fillUp(customer: StackCustomer): Promise<Belongings> {
  const { webhook, test_delivery } = await customer.register(customer.receiver('hooks'));
  const run = 'run_stored';
  const tracker = 'trk_stored';
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
  const stored = [
    '/v1/runs/run_stored',
    '/v1/trackers/trk_stored',
    `/v1/creators/${platform}/${handle}/videos`,
  ];
  await eventually(
    async () => {
      for (const path of stored) expect(await customer.request('GET', path)).toMatchObject({ status: 200 });
    },
    { interval: 1000 },
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

const withParameters = operationNames.filter((name) => {
  const route: Route = routes[name];
  return route.access === 'customer' && route.path.includes('{');
});

describe('records of another customer', () => {
  let belongings: Belongings;
  let owner: StackCustomer;
  let stranger: StackCustomer;
  beforeAll(async () => {
    owner = await stack.newCustomer();
    stranger = await stack.newCustomer();
    belongings = await fillUp(owner);
  });

  it.each(withParameters)(
    "another customer's record is not found by %s, and not touched",
    async (operation) => {
      const path = pathOf(operation, belongings);
      const answer = await stranger.request(routes[operation].method, path, bodies[operation]);

      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found', status: 404 } });
      expect(await owner.webhook(belongings['/v1/webhooks/{id}'] ?? '')).toMatchObject({
        status: 'active',
        previous_secret_expires_at: null,
      });
    },
  );

  it.each(withParameters.filter((operation) => routes[operation].method === 'GET'))(
    'a record is found by its owner with %s',
    async (operation) => {
      const answer = await owner.request('GET', pathOf(operation, belongings));

      expect(answer.status).toBe(200);
    },
  );
});

describe('the request limit', () => {
  it('the request limit admits exactly 60 of 61 simultaneous requests, and the next when the oldest is a minute old', async () => {
    const customer = await stack.newCustomer();
    const begun = Date.now();

    const answers = await Promise.all(Array.from({ length: 61 }, () => customer.ask('GET', '/v1/webhooks')));

    const secondsTaken = (Date.now() - begun) / 1_000;
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({ status: 429, body: { code: 'rate_limit_exceeded', limit: 60 } });
    const retryAfter = Number(refused[0]?.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThanOrEqual(60 - secondsTaken);
    expect(retryAfter).toBeLessThanOrEqual(60);
    // Instead of waiting a minute, the test makes the stored requests a minute older. It calls another function, which
    // has not seen the limit reached.
    await stack.ageRequests(customer, retryAfter * 1000);
    expect(await customer.ask('GET', '/v1/runs')).toMatchObject({ status: 200 });
  });

  it('the request limit is in the headers of every response to a credential', async () => {
    const customer = await stack.newCustomer();
    const begun = Date.now();

    const first = await customer.ask('GET', '/v1/webhooks');
    const missing = await customer.ask('GET', '/v1/runs/run_none');
    const secondsTaken = (Date.now() - begun) / 1_000;

    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=60;w=60');
    expect(first.headers.get('ratelimit')).toMatch(/^"default";r=59;t=60$/);
    const [, left = ''] = /^"default";r=58;t=(\d+)$/.exec(missing.headers.get('ratelimit') ?? '') ?? [];
    expect(Number(left)).toBeLessThanOrEqual(60);
    expect(Number(left)).toBeGreaterThanOrEqual(60 - secondsTaken);
  });
});

describe('a walk through a long list', () => {
  const page = z.object({
    items: z.array(z.object({ id: z.string() })),
    next_cursor: z.string().nullable(),
  });

  it('a walk through 1,000 deliveries meets each once while 30 arrive', async () => {
    const customer = await stack.newCustomer();
    const { webhook, test_delivery } = await customer.register(customer.receiver('hooks'));
    const store = storeDelivery(stack.table());
    const add = (index: number, createdAt: number) =>
      store(
        buildDelivery({
          id: deliveryId(createdAt, digest(`${index}`), 1),
          customerId: customer.id,
          webhookId: webhook.id,
          status: 'delivered',
        }),
        null,
      );
    const now = Date.now();
    const old = await Promise.all(Array.from({ length: 999 }, (_, index) => add(index, now - index * 7)));

    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const answer: Answer = await customer.request(
        'GET',
        `/v1/webhooks/${webhook.id}/deliveries?limit=100${query}`,
      );
      const { items, next_cursor } = page.parse(answer.body);
      seen.push(...items.map(({ id }) => id));
      cursor = next_cursor;
      await Promise.all([0, 1, 2].map((extra) => add(2000 + seen.length * 10 + extra, Date.now() + 1000)));
    }

    expect(seen).toHaveLength(1000);
    expect(new Set(seen)).toEqual(new Set([...old.map(({ id }) => id), test_delivery.id]));
    expect(seen).toEqual([...seen].sort().reverse());
  });
});

describe('each code of the catalogue', () => {
  type Provoke = (customer: StackCustomer) => Promise<Answer>;
  const hooks = (customer: StackCustomer, query = '') => customer.register(customer.receiver('hooks', query));
  const asToken = async (
    customer: StackCustomer,
    prepare: (connection: string) => Promise<void>,
  ): Promise<Answer> => {
    const created = await operate(
      customer,
      'connections',
      'create',
      '--user',
      'u',
      '--organization',
      customer.id,
    );
    const { id } = withId.parse(created);
    const minted = await operate(customer, 'tokens', 'mint', '--connection', id);
    await prepare(id);
    return customer.ask('GET', '/v1/webhooks', withToken.parse(minted).access_token);
  };
  const unsettled = {
    id: 'run_open',
    kind: 'search',
    status: 'running',
    created_at: '2026-11-20T09:00:00.000Z',
  };

  /** How to raise each code; `engine` for codes that only Runs carry. */
  const sources: Readonly<Record<ProblemCode, Provoke | 'engine'>> = {
    missing_authorization: (customer) => customer.ask('GET', '/v1/webhooks', ''),
    invalid_key: (customer) => customer.ask('GET', '/v1/webhooks', 'key_unknown'),
    key_revoked: async (customer) => {
      const of = ['--customer', customer.id] as const;
      const key = withKey.parse(await operate(customer, 'keys', 'issue', ...of));
      await operate(customer, 'keys', 'revoke', ...of, '--key', key.id);
      return customer.ask('GET', '/v1/webhooks', key.api_key);
    },
    portal_link_ended: async (customer) => {
      const of = ['--customer', customer.id] as const;
      const link = withLink.parse(await operate(customer, 'portal-link', ...of));
      await operate(customer, 'portal-link', 'revoke', ...of, '--link', link.id);
      return customer.ask('GET', '/v1/webhooks', link.url.replace(/.*#token=/, ''));
    },
    invalid_token: (customer) => customer.ask('GET', '/v1/webhooks', 'a.b.c'),
    connection_revoked: (customer) =>
      asToken(
        customer,
        async (id) => void (await operate(customer, 'connections', 'revoke', '--connection', id)),
      ),
    organization_not_selected: async (customer) => {
      const { id } = withId.parse(await operate(customer, 'connections', 'create', '--user', 'u'));
      const minted = await operate(customer, 'tokens', 'mint', '--connection', id);
      return customer.ask('GET', '/v1/webhooks', withToken.parse(minted).access_token);
    },
    organization_access_revoked: (customer) =>
      asToken(
        customer,
        async (id) => void (await operate(customer, 'connections', 'revoke-access', '--connection', id)),
      ),
    invalid_request: (customer) => customer.ask('GET', '/v1/webhooks?limit=101'),
    unsupported_platform: (customer) => customer.ask('GET', '/v1/creators/myspace/tom/videos'),
    unsupported_kind: 'engine',
    not_found: (customer) => customer.ask('GET', '/v1/nothing'),
    idempotency_conflict: 'engine',
    run_not_ready: async (customer) => {
      await customer.sendToIntake({ type: 'run.saved', customer_id: customer.id, run: unsettled });
      return eventually(
        async () => {
          const answer = await customer.ask('GET', `/v1/runs/${unsettled.id}/items`);
          expect(answer.status).not.toBe(404);
          return answer;
        },
        { interval: 500 },
      );
    },
    insufficient_balance: 'engine',
    rate_limit_exceeded: async (customer) => {
      const answers = await Promise.all(Array.from({ length: 70 }, () => customer.ask('GET', '/v1/runs')));
      return answers.find(({ status }) => status !== 200) ?? customer.ask('GET', '/v1/runs');
    },
    concurrency_limit_exceeded: 'engine',
    tracker_limit_exceeded: 'engine',
    webhook_limit_exceeded: async (customer) => {
      for (let count = 0; count < 5; count += 1) await hooks(customer);
      return customer.ask('POST', '/v1/webhooks', undefined, { url: customer.receiver('sixth') });
    },
    webhook_rotation_in_progress: async (customer) => {
      const { webhook } = await hooks(customer);
      await customer.rotate(webhook.id);
      return customer.ask('POST', `/v1/webhooks/${webhook.id}/rotate`);
    },
    webhook_not_active: async (customer) => {
      const { webhook } = await hooks(customer, '?handshake=500');
      return customer.ask('POST', `/v1/webhooks/${webhook.id}/rotate`);
    },
    delivery_in_progress: async (customer) => {
      // Three attempts that each end after ten seconds.
      const { webhook } = await hooks(customer, '?delay_ms=60000');
      await customer.settleRun();
      const [delivery] = await eventually(async () => {
        const deliveries = await customer.deliveries(webhook.id);
        expect(deliveries).toHaveLength(1);
        return deliveries;
      });
      return customer.ask('POST', `/v1/webhooks/${webhook.id}/deliveries/${delivery?.id}/replay`);
    },
    replay_in_progress: async (customer) => {
      const { webhook } = await hooks(customer, '');
      const replays = `/v1/webhooks/${webhook.id}/replays`;
      // A job begins after some seconds, so the second request comes while it runs.
      await customer.ask('POST', replays, undefined, selection);
      return customer.ask('POST', replays, undefined, selection);
    },
    media_unavailable: 'engine',
    vendor_error: 'engine',
    internal_error: async (customer) => {
      const id = await stack.breakEndpoint(customer);
      return customer.ask('GET', `/v1/webhooks/${id}`);
    },
  };

  const raised = Object.entries(sources).flatMap(([code, source]) =>
    source === 'engine' ? [] : [{ code, source }],
  );
  const engineOnly = Object.keys(sources).filter((code) =>
    Object.entries(sources).some(([name, source]) => name === code && source === 'engine'),
  );

  it.each(raised)('$code is answered by the running service', async ({ code, source }) => {
    const answer = await source(await stack.newCustomer());

    const { status } = Object.entries(problemCodes).find(([name]) => name === code)?.[1] ?? { status: 0 };
    expect(answer).toMatchObject({
      status,
      contentType: 'application/problem+json',
      body: { code, status, type: expect.stringMatching(new RegExp(`/docs/errors/${code}$`)) },
    });
  });

  it.each(engineOnly)('%s can be stored in a Run, and no operation raises it', async (code) => {
    const customer = await stack.newCustomer();
    const { status, title } = Object.entries(problemCodes).find(([name]) => name === code)?.[1] ?? {
      status: 0,
      title: '',
    };
    const error = { type: 'https://engine.example.com/', title, status, code, detail: 'As told' };
    const run = {
      id: 'run_failed',
      kind: 'search',
      status: 'failed',
      created_at: '2026-11-20T09:00:00.000Z',
      settled_at: '2026-11-20T09:01:00.000Z',
      charge_usd: 0,
      error,
    };
    await customer.sendToIntake({ type: 'run.settled', customer_id: customer.id, run });

    const stored = await eventually(
      async () => {
        const answer = await customer.request('GET', '/v1/runs/run_failed');
        expect(answer.status).toBe(200);
        return answer;
      },
      { interval: 300 },
    );

    expect(stored.body).toMatchObject({ status: 'failed', error: { code, status, detail: 'As told' } });
    const named: readonly string[] = operationNames.flatMap((name) => [...routes[name].problems]);
    expect(named).not.toContain(code);
  });
});
