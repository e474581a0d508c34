import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { storeDelivery } from '#shared/aws/table/deliveries.ts';
import { bulkReplayPlanRecord, bulkReplayRecord } from '#shared/contract/records/bulk-replay.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { startStack } from '../../local/stack/start.ts';
import { hurryQueues } from '../support/aws/hurried-queues.ts';
import { eventually, only } from '../support/stack/eventually.ts';
import { runAdmin, useOperator, withId } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';
import { StackCustomer } from '../support/stack/stack-customer.ts';
import { buildDelivery } from '../support/values/builders.ts';

const stack = useStack();
const { operate, stackFile } = useOperator();
const failed = 4;

const started = z.object({ replays: z.array(withId) });

const ids = (records: readonly { readonly id: string | null }[]) => records.map(({ id }) => id).toSorted();

/** The request limit admits no more looks. */
const rarely = { interval: 800 };

/** An endpoint whose deliveries have all failed, and which is well by now. */
async function recovered(customer: StackCustomer): Promise<string> {
  const { webhook } = await customer.register(customer.receiver('hooks', `?fail_first=${3 * failed}`));
  for (let count = 0; count < failed; count += 1) await customer.settleRun();
  await eventually(async () => {
    const deliveries = await customer.deliveries(webhook.id);
    expect(deliveries.map(({ status }) => status)).toEqual(Array.from({ length: failed }, () => 'failed'));
  }, rarely);
  return `/v1/webhooks/${webhook.id}`;
}

/** A time in which no other test has deliveries, because `--all` takes those of all customers. */
const outage = { from: '2020-02-01T00:00:00Z', until: '2020-02-02T00:00:00Z' };

/** Stores deliveries that failed in the outage, at an endpoint which works today. @returns its receiver's name */
async function failedInOutage(customer: StackCustomer, name: string, count: number): Promise<string> {
  const { webhook } = await customer.register(customer.receiver(name));
  for (let number = 0; number < count; number += 1) {
    const createdAt = Date.parse(outage.from) + number * 1000;
    const id = deliveryId(createdAt, digest(webhook.id, String(number)), 1);
    const failure = { status: 'failed', attempts: 3, endedAt: createdAt } as const;
    const delivery = buildDelivery({ id, customerId: customer.id, webhookId: webhook.id, ...failure });
    await storeDelivery(stack.table())(delivery, null);
  }
  return name;
}

/** Looks rarely enough for the rate limit, with two bulk replays of up to 15 seconds. */
async function ended(customer: StackCustomer, path: string) {
  const look = async () => {
    const job = bulkReplayRecord.parse((await customer.request('GET', path)).body);
    expect(job.status).not.toBe('running');
    return job;
  };
  return eventually(look, rarely);
}

describe('bulk replays', () => {
  it('a customer resends everything that failed: planned, followed to its end, and nothing twice', async () => {
    const customer = await stack.newCustomer();
    const since = new Date(Date.now() - 60_000).toISOString();
    const webhook = await recovered(customer);
    const originals = await customer.deliveries(webhook.replace('/v1/webhooks/', ''));
    const replays = `${webhook}/replays`;
    const body = { status: 'failed', created_after: since };

    const plan = await customer.request('POST', `${replays}/plan`, body);
    const started = await customer.request('POST', replays, body);
    const second = await customer.request('POST', replays, body);

    expect(bulkReplayPlanRecord.parse(plan.body)).toMatchObject({
      deliveries: failed,
      already_replayed: 0,
      seconds: 1,
      complete: true,
    });
    expect(started).toMatchObject({ status: 202, body: { status: 'running', rate: 10, replayed: 0 } });
    const { id } = bulkReplayRecord.parse(started.body);
    expect(second).toMatchObject({ status: 409, body: { code: 'replay_in_progress', replay_id: id } });
    expect(await ended(customer, `${replays}/${id}`)).toMatchObject({
      status: 'completed',
      replayed: failed,
      skipped: 0,
      requested_by: 'customer',
    });
    const posts = await customer.received('hooks', 4 * failed);
    expect(new Set(posts.slice(3 * failed).map(({ headers }) => headers['x-service-event-id']))).toEqual(
      new Set(originals.map(({ event_id }) => event_id)),
    );

    const again = bulkReplayRecord.parse((await customer.request('POST', replays, body)).body);
    expect(await ended(customer, `${replays}/${again.id}`)).toMatchObject({ replayed: 0, skipped: failed });
    const stored = await customer.deliveries(webhook.replace('/v1/webhooks/', ''));
    const made = stored.filter(({ replay_of }) => replay_of !== null);
    expect(made.map(({ status }) => status)).toEqual(originals.map(() => 'delivered'));
    expect(made.map(({ replay_of }) => replay_of).toSorted()).toEqual(ids(originals));
    expect(await customer.inbox('hooks')).toHaveLength(4 * failed + 1);
    const { body: list } = await customer.request('GET', replays);
    expect(ids(z.object({ items: z.array(bulkReplayRecord) }).parse(list).items)).toEqual(
      [id, again.id].toSorted(),
    );
  });

  it('a cancelled bulk replay ends at once, stays as it is, and lets the next one start', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('hooks'));
    const replays = `/v1/webhooks/${webhook.id}/replays`;
    const body = { status: 'delivered', created_after: '2026-01-01T00:00:00Z', rate: 1 };
    const { id } = bulkReplayRecord.parse((await customer.request('POST', replays, body)).body);

    const cancelled = await customer.request('POST', `${replays}/${id}/cancel`);
    const repeated = await customer.request('POST', `${replays}/${id}/cancel`);

    expect(cancelled).toMatchObject({
      status: 200,
      body: { status: 'cancelled', cancel_reason: 'requested' },
    });
    expect(repeated).toMatchObject({ status: 200, body: cancelled.body });
    expect(await customer.request('POST', replays, body)).toMatchObject({ status: 202 });
  });

  it('an operator leaves one to the service with --detach, and lists, shows and cancels it', async () => {
    const customer = await stack.newCustomer();
    await customer.register(customer.receiver('hooks'));
    await customer.settleRun();
    const place = ['--customer', customer.id];
    const replay = ['replay', ...place, '--status', 'delivered', '--since', '1h', '--yes', '--detach'];
    const { id } = await eventually(async () =>
      only(started.parse(await operate(customer, ...replay)).replays),
    );

    const listed = await operate(customer, 'replays', 'list', ...place);
    const shown = await operate(customer, 'replays', 'show', id, ...place);
    const cancelled = await operate(customer, 'replays', 'cancel', id, ...place);
    const again = await runAdmin(
      'replays',
      'cancel',
      id,
      ...place,
      '--stack-file',
      await stackFile(customer),
    );
    const second = await runAdmin(
      'replays',
      'cancel',
      'rpl_unknown',
      ...place,
      '--stack-file',
      await stackFile(customer),
    );

    expect(shown).toMatchObject({ id, status: 'running', rate: 10, requested_by: 'operator' });
    expect(listed).toEqual([shown]);
    expect(cancelled).toMatchObject({ id, status: 'cancelled', cancel_reason: 'requested', replayed: 0 });
    expect(again).toMatchObject({ code: 0, output: expect.stringContaining('cancelled') });
    expect(second).toMatchObject({
      code: 1,
      output: expect.stringContaining('Bulk replay rpl_unknown not found'),
    });
  });

  it('an operator replays what failed at all customers after an outage, by one plan and one command', async () => {
    const [one, other] = [await stack.newCustomer('One'), await stack.newCustomer('Other')];
    await stack.newCustomer('Not concerned');
    const names = [await failedInOutage(one, 'first', 3), await failedInOutage(one, 'second', 2)];
    await failedInOutage(other, 'third', 4);
    const range = ['--since', outage.from, '--until', outage.until, '--stack-file', await stackFile(one)];
    const replay = ['replay', '--all', ...range, '--rate', '100'];

    const plan = await runAdmin(...replay, '--dry-run');
    const untouched = await Promise.all([...names.map((name) => one.inbox(name)), other.inbox('third')]);
    const done = await runAdmin(...replay, '--yes');
    const again = await runAdmin(...replay, '--yes');

    expect(plan.code).toBe(0);
    expect(plan.output).toMatch(new RegExp(`^${other.id} +Other +1 +4 +0 `, 'm'));
    expect(plan.output).toMatch(new RegExp(`^${one.id} +One +2 +5 +0 `, 'm'));
    expect(plan.output).not.toContain('Not concerned');
    expect(plan.output).toContain('To replay: 9 deliveries to 3 endpoints at 100 a second');
    expect(untouched.map(({ length }) => length)).toEqual([1, 1, 1]);
    expect([done.code, done.output]).toEqual([
      0,
      expect.stringContaining('Replayed 9, with 3 of 3 bulk replays completed'),
    ]);
    await one.received('first', 3);
    await one.received('second', 2);
    await other.received('third', 4);
    expect(again).toMatchObject({ code: 0, output: expect.stringContaining('Nothing to replay') });
  });

  it.each([
    [['--all', '--customer', 'cus_x'], "option '--all' cannot be used with option '--customer <id>'"],
    [['--all', '--detach'], "option '--all' cannot be used with option '--detach'"],
    [['--all', '--rate', '401'], 'Give a whole number from 1 to 100, or to 400 with --all'],
    [['--customer', 'cus_x', '--rate', '101'], '--rate must be at most 100, or 400 with --all'],
    [[], 'Give --customer <id>, --endpoint <id> or both, or --all'],
  ])('a replay by %j is refused as a wrong command line', async (options, text) => {
    expect(await runAdmin('replay', '--since', '1h', '--yes', ...options)).toEqual({
      code: 2,
      output: expect.stringContaining(text),
    });
  });

  it.each([
    [{ status: 'pending', created_after: '2026-01-01T00:00:00Z' }, '/status'],
    [{ status: 'failed' }, '/created_after'],
    [{ status: 'failed', created_after: '2026-01-01' }, '/created_after'],
    [{ status: 'failed', created_after: '2100-01-01T00:00:00Z' }, '/created_after'],
    [
      { status: 'failed', created_after: '2026-01-01T00:00:00Z', created_before: '2100-01-01T00:00:00Z' },
      '/created_before',
    ],
    [
      { status: 'failed', created_after: '2026-01-02T00:00:00Z', created_before: '2026-01-01T00:00:00Z' },
      '/created_before',
    ],
    [{ status: 'failed', created_after: '2026-01-01T00:00:00Z', rate: 26 }, '/rate'],
    [{ status: 'failed', created_after: '2026-01-01T00:00:00Z', rate: 0.5 }, '/rate'],
  ])('a bulk replay of %o is refused at %s', async (body, pointer) => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('hooks'));

    const answers = await Promise.all(
      ['', '/plan'].map((end) => customer.request('POST', `/v1/webhooks/${webhook.id}/replays${end}`, body)),
    );

    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ pointer }] } });
    }
  });

  it('a bulk replay needs an active endpoint, which an unknown and a deleted one are not', async () => {
    const customer = await stack.newCustomer();
    const { webhook } = await customer.register(customer.receiver('hooks'));
    await customer.request('DELETE', `/v1/webhooks/${webhook.id}`);
    const body = { status: 'failed', created_after: '2026-01-01T00:00:00Z' };
    const stranger = await stack.newCustomer();
    const path = `/v1/webhooks/${webhook.id}/replays`;

    expect(await customer.request('POST', path, body)).toMatchObject({
      status: 409,
      body: { code: 'webhook_not_active' },
    });
    expect(await customer.request('GET', path)).toMatchObject({ status: 200, body: { items: [] } });
    expect(await stranger.request('POST', path, body)).toMatchObject({ status: 404 });
    expect(await stranger.request('GET', path)).toMatchObject({ status: 404 });
  });
});

describe('a long bulk replay', () => {
  it('goes on after the sixteen steps that Lambda allows a chain of messages by itself', async () => {
    await using parts = new AsyncDisposableStack();
    const dir = await mkdtemp(join(tmpdir(), 'long-replay-'));
    parts.defer(() => rm(dir, { recursive: true }));
    const lines: string[] = [];
    const traces: string[] = [];
    const own = await startStack({
      port: 0,
      stateDir: dir,
      stackFile: null,
      wrapService: async (service, url) => {
        if (service !== 'sqs') return url;
        const queues = await hurryQueues(url, (header) => traces.push(header));
        parts.defer(() => queues.close());
        return queues.url;
      },
      onLogLine: (_source, line) => lines.push(line),
    });
    parts.defer(() => own.close());
    const customer = new StackCustomer(own.info, only(own.info.customers.slice(0, 1)));
    const { webhook } = await customer.register(customer.receiver('hooks'));
    // A step has the replays of ten seconds.
    const deliveries = 17 * 10 - 1;
    await Promise.all(Array.from({ length: deliveries }, () => customer.settleRun()));
    await customer.received('hooks', deliveries);
    const replays = `/v1/webhooks/${webhook.id}/replays`;

    const body = { status: 'delivered', created_after: '2026-01-01T00:00:00Z', rate: 1 };
    const { id } = bulkReplayRecord.parse((await customer.request('POST', replays, body)).body);

    expect(await ended(customer, `${replays}/${id}`)).toMatchObject({
      status: 'completed',
      replayed: deliveries,
    });
    expect(lines.filter((line) => line.includes('"replay.stepped"'))).toHaveLength(17);
    // The local stack counted them: the message of the last step came from the sixteenth invocation, at least.
    const invocations = traces.flatMap((header) => /[=|][^|]*Replay[^|]*:(\d+)/.exec(header)?.[1] ?? []);
    expect(Math.max(...invocations.map(Number))).toBeGreaterThanOrEqual(16);
  });
});
