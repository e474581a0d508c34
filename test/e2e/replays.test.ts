import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { bulkReplayRecord } from '#shared/contract/records/bulk-replay.ts';
import { stepSeconds } from '#shared/domain/bulk-replay.ts';
import { type Post, withoutHandshakes } from '../../local/parties/customer/customer-client.ts';
import { eventually } from '../support/stack/eventually.ts';
import { useOperator } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';
import { createWorkplace, Program } from '../support/stack/stack-process.ts';

const stack = useStack();
const { operate, stackFile } = useOperator();

/** Deliveries that fail before their receiver is well. Few, because of their attempts; `REPLAYS=500` takes two minutes. */
const count = Number(process.env.REPLAYS ?? 12);
/** Replays a second. */
const rate = Math.max(1, Math.floor(count / 20));
/** Replays of the first step, after which the bulk replay is interrupted. */
const firstStep = rate * stepSeconds;

const eventIdOf = ({ headers }: Post): string => headers['x-service-event-id'] ?? '';
const timeOf = ({ time }: Post): number => Date.parse(time);

const planned = z.object({ plan: z.object({ deliveries: z.number(), seconds: z.number() }) });

/** An endpoint whose receiver fails all attempts of `count` deliveries, and then is well. */
async function failAll(customer: StackCustomer) {
  const { webhook } = await customer.register(customer.receiver('hooks', `?fail_first=${3 * count}`));
  for (let sent = 0; sent < count; sent += 10) {
    await Promise.all(Array.from({ length: Math.min(10, count - sent) }, () => customer.settleRun()));
  }
  await eventually(async () => expect(await plannedFor(customer)).toBe(count), {
    timeout: 300_000,
    interval: 500,
  });
  return webhook;
}

async function plannedFor(customer: StackCustomer): Promise<number> {
  const range = ['--customer', customer.id, '--since', '1h', '--rate', String(rate), '--dry-run'];
  return planned.parse(await operate(customer, 'replay', ...range)).plan.deliveries;
}

/** The POSTs of replays, once there are as many as deliveries failed: those after all failed attempts. */
async function arrivedReplays(customer: StackCustomer): Promise<readonly Post[]> {
  return await eventually(
    async () => {
      const replays = withoutHandshakes(await customer.inbox('hooks')).slice(3 * count);
      expect(replays.length).toBeGreaterThanOrEqual(count);
      return replays;
    },
    // On an overloaded machine, functions run out of time, and their messages come back after three minutes.
    { timeout: 300_000, interval: 500 },
  );
}

/** Each event once, and never more of them in a time than the pace allows. */
function expectEachOnceAtPace(failed: readonly Post[], replays: readonly Post[]): void {
  const times = replays.map(timeOf);
  const seconds = (Math.max(...times) - Math.min(...times)) / 1000;
  if (process.env.REPLAYS !== undefined) {
    process.stdout.write(`${replays.length} replays arrived in ${seconds} s, asked for ${rate} a second\n`);
  }

  expect(replays.map(eventIdOf).toSorted()).toEqual([...new Set(failed.map(eventIdOf))].toSorted());
  expect(replays.length / (seconds + 2)).toBeLessThanOrEqual(rate);
}

describe.concurrent('deliveries that failed while their receiver was down', () => {
  it('are each replayed once, at the asked pace, though the command is interrupted and run again', async () => {
    const customer = await stack.newCustomer();
    await failAll(customer);
    const workplace = await createWorkplace();
    const replay = [
      ...[
        'bin/admin.ts',
        'replay',
        '--customer',
        customer.id,
        '--since',
        '1h',
        '--rate',
        String(rate),
        '--yes',
      ],
      ...['--stack-file', await stackFile(customer)],
    ];

    const first = await Program.start(process.execPath, replay, { cwd: workplace.dir });
    await first.printed(`replayed ${firstStep} of ${count} `);
    first.interrupt();
    const firstExit = await first.exited();
    const rest = await plannedFor(customer);
    const second = await Program.start(process.execPath, replay, { cwd: workplace.dir });
    const secondExit = await second.exited();
    const replays = await arrivedReplays(customer);
    await workplace.remove();

    expect([firstExit, first.output]).toEqual([
      130,
      expect.stringContaining(`Cancelled: replayed ${firstStep} of ${count}`),
    ]);
    expect([secondExit, second.output]).toEqual([0, expect.stringContaining('completed')]);
    expect(rest).toBe(count - firstStep);
    expect(await plannedFor(customer)).toBe(0);
    expectEachOnceAtPace(withoutHandshakes(await customer.inbox('hooks')).slice(0, 3 * count), replays);
  });

  it('are each replayed once, at the asked pace, by a customer who cancels and starts again', async () => {
    const customer = await stack.newCustomer();
    const { id } = await failAll(customer);
    const path = `/v1/webhooks/${id}/replays`;
    const body = { status: 'failed', created_after: new Date(Date.now() - 3_600_000).toISOString(), rate };
    const start = async () => bulkReplayRecord.parse((await customer.request('POST', path, body)).body);
    const replayed = (job: { readonly id: string }, status: string, times: number) =>
      eventually(
        async () => {
          const { body: read } = await customer.request('GET', `${path}/${job.id}`);
          expect(read).toMatchObject({ status, replayed: times });
        },
        { timeout: 120_000, interval: 500 },
      );

    const plan = await customer.request('POST', `${path}/plan`, body);
    const first = await start();
    const refused = await customer.request('POST', path, body);
    await replayed(first, 'running', firstStep);
    const cancelled = await customer.request('POST', `${path}/${first.id}/cancel`);
    const second = await start();
    await replayed(second, 'completed', count - firstStep);
    const replays = await arrivedReplays(customer);

    expect(plan).toMatchObject({ status: 200, body: { deliveries: count, already_replayed: 0 } });
    expect(refused).toMatchObject({ status: 409, body: { code: 'replay_in_progress', replay_id: first.id } });
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled', replayed: firstStep } });
    expectEachOnceAtPace(withoutHandshakes(await customer.inbox('hooks')).slice(0, 3 * count), replays);
  });
});
