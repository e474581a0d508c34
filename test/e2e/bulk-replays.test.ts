import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { storeDelivery } from '#shared/aws/table/deliveries.ts';
import { bulkReplayPlanRecord, bulkReplayRecord } from '#shared/contract/records/bulk-replay.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { storeFailed, storeRunning } from '../support/browser/console-history.ts';
import { eventually, only } from '../support/stack/eventually.ts';
import { runAdmin, useOperator, withId } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';
import { buildDelivery } from '../support/values/builders.ts';

const stack = useStack();
const { operate, stackFile } = useOperator();

const failures = { status: 'failed', created_after: '2026-01-01T00:00:00Z' };
const jobs = z.object({ items: z.array(bulkReplayRecord) });

/** A customer with an endpoint that works today. */
async function newCustomer() {
  const customer = await stack.newCustomer();
  const { webhook } = await customer.register(customer.receiver('hooks'));
  const given = { table: stack.table(), customerId: customer.id, now: Date.now() };
  return { customer, webhookId: webhook.id, given, replays: `/v1/webhooks/${webhook.id}/replays` };
}

/** A bulk replay once it has ended. Looks rarely enough for the request limit. */
async function ended(customer: StackCustomer, path: string) {
  const look = async () => {
    const job = bulkReplayRecord.parse((await customer.request('GET', path)).body);
    expect(job.status).not.toBe('running');
    return job;
  };
  return eventually(look, { interval: 800 });
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

describe('bulk replays', () => {
  it('a customer resends everything that failed: planned, followed to its end, and nothing twice', async () => {
    const { customer, webhookId, given, replays } = await newCustomer();
    const failed = await storeFailed(given, webhookId, 4);

    const plan = await customer.request('POST', `${replays}/plan`, failures);
    const started = await customer.request('POST', replays, failures);
    const { id } = bulkReplayRecord.parse(started.body);
    const first = await ended(customer, `${replays}/${id}`);
    await customer.received('hooks', 4);
    const again = bulkReplayRecord.parse((await customer.request('POST', replays, failures)).body);
    const second = await ended(customer, `${replays}/${again.id}`);

    const counts = { deliveries: 4, already_replayed: 0, seconds: 1, complete: true };
    expect(bulkReplayPlanRecord.parse(plan.body)).toMatchObject(counts);
    expect(started).toMatchObject({ status: 202, body: { status: 'running', rate: 10, replayed: 0 } });
    expect(first).toMatchObject({ status: 'completed', replayed: 4, skipped: 0, requested_by: 'customer' });
    expect(second).toMatchObject({ status: 'completed', replayed: 0, skipped: 4 });
    const made = (await customer.deliveries(webhookId)).flatMap(({ replay_of }) => replay_of ?? []);
    expect(made.toSorted()).toEqual(failed.toSorted());
    expect(await customer.received('hooks', 4)).toHaveLength(4);
    const { items } = jobs.parse((await customer.request('GET', replays)).body);
    expect(items.map((job) => job.id).toSorted()).toEqual([id, again.id].toSorted());
  });

  it('one runs at a time; an operator lists, shows and cancels it, and leaves the next one to the service', async () => {
    const { customer, webhookId, given, replays } = await newCustomer();
    await storeFailed(given, webhookId, 1);
    const id = await storeRunning(given, webhookId, 41);
    const place = ['--customer', customer.id];

    const refused = await customer.request('POST', replays, failures);
    const listed = await operate(customer, 'replays', 'list', ...place);
    const shown = await operate(customer, 'replays', 'show', id, ...place);
    const cancelled = await operate(customer, 'replays', 'cancel', id, ...place);
    const repeated = await customer.request('POST', `${replays}/${id}/cancel`);
    const started = await operate(customer, 'replay', ...place, '--since', '1d', '--yes', '--detach');

    expect(refused).toMatchObject({ status: 409, body: { code: 'replay_in_progress', replay_id: id } });
    expect(shown).toMatchObject({ id, status: 'running', rate: 10, requested_by: 'customer' });
    expect(listed).toEqual([shown]);
    const end = { id, status: 'cancelled', cancel_reason: 'requested', replayed: 41 };
    expect(cancelled).toMatchObject(end);
    expect(repeated).toMatchObject({ status: 200, body: end });
    const job = only(z.object({ replays: z.array(withId) }).parse(started).replays);
    const completed = { status: 'completed', replayed: 1, requested_by: 'operator' };
    expect(await ended(customer, `${replays}/${job.id}`)).toMatchObject(completed);
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
});
