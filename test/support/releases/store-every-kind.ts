import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { RawRow } from './scan-table.ts';

/** How to act on a stack of any release: only by what its users have, so that its own code writes every row. */
export type ReleasedStack = {
  /** A command of `npm run admin`. @returns the JSON that it prints */
  readonly admin: (...args: readonly string[]) => Promise<unknown>;
  /** `npm run emit`. */
  readonly emit: (...args: readonly string[]) => Promise<void>;
  readonly apiUrl: string;
  /** Origin of the test receiver. */
  readonly receiver: string;
  /** All rows of the table. */
  readonly scan: () => Promise<readonly RawRow[]>;
  /** Milliseconds between two scans. Rarer ones miss attributes that rows have for a moment. */
  readonly scanEvery: number;
};

const withId = z.looseObject({ id: z.string() });
const issued = z.object({ id: z.string(), api_key: z.string() });
const registered = z.object({ webhook: withId });
const listed = z.object({ id: z.string(), status: z.string(), event_type: z.string() });
type Listed = z.infer<typeof listed>;
const deliveries = z.object({ items: z.array(listed) });
const outcomes = z.object({ pending: z.number() });
const replays = z.object({ items: z.array(z.object({ status: z.string(), outcomes })) });

/**
 * Makes a stack store rows of every kind in docs/table.md, with every attribute that a row can have. A new kind or
 * attribute needs a step here.
 *
 * @returns the rows of the customer, its credentials and the stack; of several with the same attributes, one
 */
export async function storeEveryKind(stack: ReleasedStack): Promise<readonly RawRow[]> {
  const found = new Map<string, RawRow>();
  const { customer, key, ids } = await storeCustomer(stack);
  const own = [customer, ...ids];
  const look = async () => {
    for (const row of await stack.scan()) {
      const text = JSON.stringify(row);
      if (!own.some((id) => text.includes(id)) && !text.includes('CURSOR_SECRET')) continue;
      found.set(shapeOf(row), row);
    }
  };
  /** Looks for half a second. */
  const watch = async () => {
    for (let left = 500; left > 0; left -= stack.scanEvery) {
      await look();
      await sleep(stack.scanEvery);
    }
  };
  await storeResults(stack, customer);
  await storeDeliveries(stack, customer, key, watch);
  await requestTo(stack, key)('GET', '/v1/runs?limit=1');
  await look();
  return [...found.values()];
}

async function storeCustomer({ admin }: ReleasedStack) {
  const names = ['--name', 'Fixture', '--public-name', 'Fixture Films'] as const;
  const own = ['--reference', 'fixture', '--metadata', 'plan=pro'] as const;
  const customer = withId.parse(await admin('customers', 'create', ...names, ...own)).id;
  const { id: keyId, api_key: key } = issued.parse(await admin('keys', 'issue', '--customer', customer));
  const old = issued.parse(await admin('keys', 'issue', '--customer', customer));
  await admin('keys', 'revoke', '--customer', customer, '--key', old.id, '--yes');
  const ids = [keyId, old.id];
  for (const isRevoked of [false, true]) {
    const scope = isRevoked ? ['--read-only'] : [];
    const link = withId.parse(await admin('portal-link', 'create', '--customer', customer, ...scope));
    ids.push(link.id);
    if (isRevoked) await admin('portal-link', 'revoke', '--customer', customer, '--link', link.id, '--yes');
  }
  for (const steps of [[], ['revoke-access'], ['revoke']]) {
    const user = `user-of-${customer}`;
    const { id } = withId.parse(await admin('connections', 'create', '--user', user));
    ids.push(id);
    if (steps.length === 0) continue;
    await admin('connections', 'select-organization', '--connection', id, '--organization', customer);
    const sure = (step: string) => (step === 'revoke' ? ['--yes'] : []);
    for (const step of steps) await admin('connections', step, '--connection', id, ...sure(step));
  }
  return { customer, key, ids };
}

async function storeResults({ emit }: ReleasedStack, customer: string): Promise<void> {
  const of = ['--customer', customer];
  await emit('run.saved', ...of);
  await emit('run.items_saved', ...of, '--count', '1');
  await emit('tracker.saved', ...of);
  await emit('creator_videos.saved', ...of, '--count', '1');
  await emit('creator_videos.saved', ...of, '--count', '0', '--handle', 'nobody');
}

/**
 * One endpoint that answers, one that is slow, one that fails, one that recovers, one deleted while it fails, and one
 * deleted at once.
 */
async function storeDeliveries(
  stack: ReleasedStack,
  customer: string,
  key: string,
  watch: () => Promise<void>,
): Promise<void> {
  const { emit, receiver } = stack;
  const request = requestTo(stack, key);
  /** Waits for the deliveries of an endpoint. */
  const untilListed = (webhook: string, count: number, isEach: (delivery: Listed) => boolean) =>
    untilShown(
      watch,
      async () => deliveries.parse(await request('GET', `/v1/webhooks/${webhook}/deliveries`)).items,
      (all) => all.length >= count && all.every(isEach),
    );
  const register = async (name: string, query: string) => {
    const url = `${receiver}/${customer}-${name}${query}`;
    return registered.parse(await request('POST', '/v1/webhooks', { url, description: name })).webhook.id;
  };
  await register('well', '');
  const slow = await register('slow', '?delay_ms=1500&status=503');
  const failing = await register('failing', '?status=503');
  const deleted = await register('deleted', '?status=503');
  const gone = await register('gone', '');
  await request('DELETE', `/v1/webhooks/${gone}`);
  const recovering = await register('recovering', '?fail_first=6&fail_status=503');
  await emit('run.settled', '--customer', customer);
  await emit('change_report.written', '--customer', customer);
  await untilListed(deleted, 3, () => true);
  await request('DELETE', `/v1/webhooks/${deleted}`);
  const ended = await untilListed(failing, 3, ({ status }) => status !== 'pending');
  const failed = ended.find(({ status, event_type }) => status === 'failed' && event_type !== 'webhook.test');
  await request('POST', `/v1/webhooks/${failing}/deliveries/${failed?.id}/replay`);
  await request('POST', `/v1/webhooks/${failing}/rotate`, undefined, { key: 'rotate' });
  const refused = request('POST', `/v1/webhooks/${failing}/rotate`, undefined, { key: 'rotate-again' });
  await refused.catch(() => undefined);
  const [missed] = await untilListed(recovering, 3, ({ status }) => status !== 'pending');
  await request('POST', `/v1/webhooks/${recovering}/deliveries/${missed?.id}/replay`);
  await untilListed(recovering, 4, ({ status }) => status !== 'pending');
  await untilListed(failing, 4, ({ status }) => status !== 'pending');
  await storeBulkReplays(request, watch, { failing, deleted: slow });
  const next = await register('next', '');
  await storeNarrowReplay(request, watch, { endpoint: next, source: failing, delivery: failed });
}

/** Bulk replays: one that runs to its end, and one whose endpoint is deleted while it runs. */
async function storeBulkReplays(
  request: ReturnType<typeof requestTo>,
  watch: () => Promise<void>,
  { failing, deleted }: { readonly failing: string; readonly deleted: string },
): Promise<void> {
  const body = { status: 'failed', created_after: '2020-01-01T00:00:00Z', rate: 1 };
  await request('POST', `/v1/webhooks/${deleted}/replays`, body);
  await request('DELETE', `/v1/webhooks/${deleted}`);
  // A step holds its lease for some milliseconds.
  await Promise.all([watch(), request('POST', `/v1/webhooks/${failing}/replays`, body)]);
  await untilSent(request, watch, failing);
}

/** A bulk replay of one delivery of another endpoint. */
async function storeNarrowReplay(
  request: ReturnType<typeof requestTo>,
  watch: () => Promise<void>,
  {
    endpoint,
    source,
    delivery,
  }: { readonly endpoint: string; readonly source: string; readonly delivery: Listed | undefined },
): Promise<void> {
  await request('POST', `/v1/webhooks/${endpoint}/replays`, {
    status: 'failed',
    source_webhook_id: source,
    event_type: delivery?.event_type,
    response: '5xx',
    delivery_ids: [delivery?.id],
  });
  await untilSent(request, watch, endpoint);
}

/** Waits until the bulk replays of an endpoint, and the deliveries that they made, have ended. */
async function untilSent(
  request: ReturnType<typeof requestTo>,
  watch: () => Promise<void>,
  endpoint: string,
): Promise<void> {
  await untilShown(
    watch,
    async () => replays.parse(await request('GET', `/v1/webhooks/${endpoint}/replays`)).items,
    (all) => all.every((job) => job.status !== 'running' && job.outcomes.pending === 0),
  );
}

/** @returns a function that sends a request to the API and returns the body of the response */
function requestTo({ apiUrl }: ReleasedStack, key: string) {
  return async (method: string, path: string, body?: object, once?: { readonly key: string }): Promise<unknown> => {
    const response = await fetch(`${apiUrl}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        ...(once === undefined ? {} : { 'Idempotency-Key': once.key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`);
    return answer === '' ? null : JSON.parse(answer);
  };
}

/** Scans until the API shows a state. The API is asked twice a second, for the limit of requests. */
async function untilShown<T>(watch: () => Promise<void>, show: () => Promise<T>, isShown: (shown: T) => boolean) {
  for (let left = 30; left > 0; left -= 1) {
    await watch();
    const shown = await show();
    if (isShown(shown)) return shown;
  }
  throw new Error('The stack did not reach the expected state in time');
}

/** Rows are alike if they have the same kind of key, the same attributes and the same status. */
function shapeOf(row: RawRow): string {
  const prefixOf = (name: string) => String(row[name]?.S).replace(/#.*/, '');
  const sk = String(row.sk?.S);
  const kind = /^(cus|whd|rpl)_/.test(sk) ? sk.slice(0, 3) : prefixOf('sk');
  return [prefixOf('pk'), kind, row.status?.S ?? '', ...Object.keys(row).toSorted()].join(' ');
}
