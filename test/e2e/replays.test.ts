import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { deliveryRecord } from '#shared/contract/records/delivery.ts';
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

const page = z.object({ items: z.array(deliveryRecord), next_cursor: z.string().nullable() });
const replayRecord = deliveryRecord.extend({ replay_of: z.string(), last_attempt_at: z.string() });
type Replay = z.infer<typeof replayRecord>;

const planned = z.object({ plan: z.object({ deliveries: z.number(), seconds: z.number() }) });

/** An endpoint whose receiver fails all attempts of `count` deliveries, and then is well. */
async function failAll(customer: StackCustomer) {
  const { webhook } = await customer.register(customer.receiver('hooks', `?fail_first=${3 * count}`));
  for (let sent = 0; sent < count; sent += 10) {
    await Promise.all(Array.from({ length: Math.min(10, count - sent) }, () => customer.settleRun()));
  }
  await eventually(async () => expect(await plannedFor(customer)).toBe(count), { interval: 500 });
  return webhook;
}

async function plannedFor(customer: StackCustomer): Promise<number> {
  const range = ['--customer', customer.id, '--since', '1h', '--rate', String(rate), '--dry-run'];
  return planned.parse(await operate(customer, 'replay', ...range)).plan.deliveries;
}

/** The replays of an endpoint's deliveries in the order of these, once all have arrived. */
async function deliveredReplays(customer: StackCustomer, webhookId: string): Promise<readonly Replay[]> {
  const look = async () => {
    const deliveries = await allDeliveries(customer, webhookId);
    const replays = deliveries.filter(
      ({ replay_of, status }) => replay_of !== null && status === 'delivered',
    );
    expect(replays.length).toBeGreaterThanOrEqual(count);
    return z.array(replayRecord).parse(replays);
  };
  const replays = await eventually(look, { interval: 2_000 });
  return replays.toSorted((one, other) => (one.replay_of < other.replay_of ? -1 : 1));
}

/** All deliveries of an endpoint without the handshake, newest first. */
async function allDeliveries(customer: StackCustomer, webhookId: string, cursor: string | null = null) {
  const path = `/v1/webhooks/${webhookId}/deliveries?limit=100`;
  const next = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  const { items, next_cursor } = page.parse((await customer.request('GET', `${path}${next}`)).body);
  const others: typeof items =
    next_cursor === null ? [] : await allDeliveries(customer, webhookId, next_cursor);
  return [...items, ...others].filter(({ event_type }) => event_type !== 'webhook.test');
}

/** Each event arrived once more. */
function expectEachOnce(posts: readonly Post[]): void {
  const failed = posts.slice(0, 3 * count);
  const replays = posts.slice(3 * count);
  expect(replays.map(eventIdOf).toSorted()).toEqual([...new Set(failed.map(eventIdOf))].toSorted());
}

/**
 * No replay of a job was sent before its second, counted from the job's first replay. A busy machine sends it later,
 * which tells nothing about the pace.
 */
function expectPace(replays: readonly Replay[]): void {
  const begun = Math.min(...replays.map(({ created_at }) => Date.parse(created_at)));
  const seconds = replays.map(({ last_attempt_at }) => (Date.parse(last_attempt_at) - begun) / 1000);
  expect(seconds.filter((second, index) => second < Math.floor(index / rate))).toEqual([]);
}

describe('deliveries that failed while their receiver was down', () => {
  it('are each replayed once, at the asked pace, though the command is interrupted and run again', async () => {
    const customer = await stack.newCustomer();
    const webhook = await failAll(customer);
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
    const replays = await deliveredReplays(customer, webhook.id);
    await workplace.remove();

    expect([firstExit, first.output]).toEqual([
      130,
      expect.stringContaining(`Cancelled: replayed ${firstStep} of ${count}`),
    ]);
    expect([secondExit, second.output]).toEqual([0, expect.stringContaining('completed')]);
    expect(rest).toBe(count - firstStep);
    expect(await plannedFor(customer)).toBe(0);
    expectEachOnce(withoutHandshakes(await customer.inbox('hooks')));
    expectPace(replays.slice(0, firstStep));
    expectPace(replays.slice(firstStep));
  });
});
