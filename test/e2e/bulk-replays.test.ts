import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { storeDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { bulkReplayRecord } from '#shared/contract/records/bulk-replay.ts';
import { stepSeconds } from '#shared/domain/bulk-replay.ts';
import { deliveryId, digest } from '#shared/domain/derived-id.ts';
import { adminProgram } from '../../tools/operator/cli/admin-program.ts';
import { storeFailed, storeRunning } from '../support/browser/console-history.ts';
import { eventually } from '../support/stack/eventually.ts';
import { runAdmin, runCommand, useOperator } from '../support/stack/operate.ts';
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
    await storeDelivery(stack.table(), delivery, null);
  }
  return name;
}

describe('bulk replays', () => {
  it('one runs at a time; an operator lists, shows and cancels it, and then the customer may start the next', async () => {
    const { customer, webhookId, given, replays } = await newCustomer();
    await storeFailed(given, webhookId, 1);
    const id = await storeRunning(given, webhookId, 41);
    const place = ['--customer', customer.id];

    const refused = await customer.request('POST', replays, failures);
    const listed = await operate(customer, 'replay', 'list', ...place);
    const shown = await operate(customer, 'replay', 'show', id, ...place);
    const cancelled = await operate(customer, 'replays', 'cancel', id, ...place);
    const repeated = await customer.request('POST', `${replays}/${id}/cancel`);
    const started = await customer.request('POST', replays, failures);
    const next = bulkReplayRecord.parse(started.body);
    const end = await ended(customer, `${replays}/${next.id}`);
    const { body: all } = await customer.request('GET', replays);

    expect(refused).toMatchObject({ status: 409, body: { code: 'replay_in_progress', replay_id: id } });
    expect(shown).toMatchObject({ id, status: 'running', rate: 10, requested_by: 'customer' });
    expect(listed).toEqual([shown]);
    const cancellation = { id, status: 'cancelled', cancel_reason: 'requested', replayed: 41 };
    expect(cancelled).toMatchObject(cancellation);
    expect(repeated).toMatchObject({ status: 200, body: cancellation });
    expect(started).toMatchObject({ status: 202, body: { status: 'running', rate: 10, replayed: 0 } });
    expect(end).toMatchObject({ status: 'completed', replayed: 1, requested_by: 'customer' });
    expect(jobs.parse(all).items.map((job) => job.id)).toEqual([next.id, id]);
  });

  it('an operator replays what failed at all customers after an outage, by one plan and one command', async () => {
    const [one, other] = [await stack.newCustomer('One'), await stack.newCustomer('Other')];
    await failedInOutage(await stack.newCustomer('Not concerned'), 'none', 0);
    const names = [await failedInOutage(one, 'first', 3), await failedInOutage(one, 'second', 2)];
    await failedInOutage(other, 'third', 4);
    const range = ['--since', outage.from, '--until', outage.until, '--stack-file', await stackFile(one)];
    const replay = ['replay', 'start', '--all', ...range, '--rate', '100'];

    const plan = await runAdmin(...replay, '--dry-run');
    const untouched = await Promise.all([...names.map((name) => one.inbox(name)), other.inbox('third')]);
    const done = await runAdmin(...replay, '--yes');
    const again = await runAdmin(...replay, '--yes');

    expect(plan.code).toBe(0);
    expect(plan.output).toMatch(new RegExp(`^${other.id} +Other +1 +4 +0 `, 'm'));
    expect(plan.output).toMatch(new RegExp(`^${one.id} +One +2 +5 +0 `, 'm'));
    expect(plan.output).not.toContain('Not concerned');
    expect(plan.output).toContain('To replay: 9 deliveries to 3 endpoints at 100 a second');
    expect(plan.output).toContain(
      'Next: npm run admin -- replay start --all --status failed --since 2020-02-01T00:00:00.000Z ' +
        '--until 2020-02-02T00:00:00.000Z --rate 100 --stack-file',
    );
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

  it('Ctrl-C cancels the bulk replay that runs, and the same command goes on with the rest', async () => {
    const { customer, webhookId, given } = await newCustomer();
    await storeFailed(given, webhookId, stepSeconds + 2);
    const place = ['--customer', customer.id, '--stack-file', await stackFile(customer)];
    const replay = ['replay', ...place, '--since', '1d', '--rate', '1', '--yes'];
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => said.mockRestore());
    const pressed = (print: (text: string) => void) =>
      adminProgram((text) => {
        print(text);
        if (text.includes(`replayed ${stepSeconds} of `)) process.listeners('SIGINT').at(-1)?.('SIGINT');
      });

    const first = await runCommand(pressed, replay);
    const second = await runAdmin(...replay);

    expect([first.code, said.mock.lastCall?.[0]]).toEqual([
      130,
      expect.stringContaining(`Cancelled: replayed ${stepSeconds} of ${stepSeconds + 2} deliveries`),
    ]);
    expect(second).toMatchObject({ code: 0, output: expect.stringContaining('To replay: 2 deliveries') });
    expect(await customer.received('hooks', stepSeconds + 2)).toHaveLength(stepSeconds + 2);
  });
});
