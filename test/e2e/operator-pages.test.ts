import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import * as z from 'zod';
import { createServiceClient } from '../../tools/local/stack/service-client.ts';
import type { StackFile } from '../../tools/local/stack/stack-file.ts';
import { emitProgram } from '../../tools/operator/emit/emit-program.ts';
import {
  adminArguments,
  emitArguments,
  filled,
  onLocalStack,
  operatorCommands,
  provedElsewhere,
} from '../support/docs/operator-commands.ts';
import { adminJson, runAdmin, runCommand, useOperator } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';

const { info } = inject('stack');
const stack = useStack();
const { dir, stackFile } = useOperator();

/** Commands that need no account, each once, in the order of the pages. */
const commands = new Map(
  operatorCommands()
    .filter(({ marked, text }) => !marked && (adminArguments(text) ?? emitArguments(text)) !== null)
    .filter(({ text }) => !provedElsewhere.some(({ command }) => command.test(text)))
    .map(({ page, text }) => [text, { page, text }] as const),
);

let customer: StackCustomer;
let values: Readonly<Record<string, string>>;
let ownQueues: StackFile;

beforeAll(async () => {
  customer = await stack.newCustomer();
  const { webhook } = await customer.register(customer.receiver('pages', '?fail_first=3'));
  await customer.settleRun();
  const delivery = await customer.endedDelivery(webhook.id);
  expect(delivery.status).toBe('failed');
  ownQueues = await withOwnQueues();
  values = {
    'cus_…': customer.id,
    'whe_…': webhook.id,
    '/endpoints/whe_…': `/endpoints/${webhook.id}`,
    'whd_…': delivery.id,
    'evt_…': delivery.event_id,
    'run_…': await runOf(customer),
  };
});

async function runOf(customer: StackCustomer): Promise<string> {
  const { body } = await customer.request('GET', '/v1/runs');
  return z.object({ items: z.tuple([z.object({ id: z.string() })]) }).parse(body).items[0].id;
}

/** The stack with queues that no function polls and no other test uses: the commands take messages out of them. */
async function withOwnQueues(): Promise<StackFile> {
  const { call, close } = createServiceClient('sqs', info.endpoints.sqs);
  const create = async () =>
    z.object({ QueueUrl: z.string() }).parse(await call('CreateQueue', { QueueName: randomUUID() })).QueueUrl;
  const urls = {
    intake_queue_url: await create(),
    delivery_queue_url: await create(),
    intake_dead_letter_queue_url: await create(),
    delivery_dead_letter_queue_url: await create(),
  };
  close();
  return { ...info, ...urls };
}

/** Puts a message into both dead-letter queues. @returns the id of the first */
async function makeDeadLetter(): Promise<string> {
  const { call, close } = createServiceClient('sqs', info.endpoints.sqs);
  const send = async (QueueUrl: string) =>
    z
      .object({ MessageId: z.string() })
      .parse(await call('SendMessage', { QueueUrl, MessageBody: '{"type":"unknown"}' })).MessageId;
  await send(ownQueues.delivery_dead_letter_queue_url);
  return await send(ownQueues.intake_dead_letter_queue_url).finally(close);
}

async function run(text: string) {
  const admin = adminArguments(text);
  if (admin === null) {
    const args = filled(onLocalStack(emitArguments(text) ?? []), values);
    return await runCommand(emitProgram, [...args, '--stack-file', await stackFile({ stack: info })]);
  }
  const file = await stackFile({ stack: info });
  if (admin[0] !== 'dead-letters') {
    return await runAdmin(...filled(onLocalStack(admin), values), '--stack-file', file);
  }
  const id = await makeDeadLetter();
  const ownFile = join(dir(), 'own-queues.json');
  await writeFile(ownFile, JSON.stringify(ownQueues));
  const args = filled(onLocalStack(admin), { ...values, '<id>': id, '<id…>': id });
  return await runAdmin(...args, '--stack-file', ownFile);
}

describe('the commands of the pages for operators, run as written on the local stack', () => {
  it.each([...commands.values()])('$page: the command succeeds: $text', async ({ text }) => {
    const { code, output } = await run(text);

    // Other tests strand deliveries on the shared stack, which an audit reports with exit code 1.
    expect([text, output, code === 1 && adminArguments(text)?.[0] === 'audit' ? 0 : code]).toEqual([
      text,
      expect.stringMatching(/\S/),
      0,
    ]);
  });
});

describe('npm run admin', () => {
  it('prints a portal link on a line of its own, with how to end it', async () => {
    const customer = await stack.newCustomer();
    const on = ['--stack-file', await stackFile(customer)] as const;

    const { code, output } = await runAdmin('portal-link', '--customer', customer.id, ...on);

    const [head, url, ...rest] = output.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(head).toMatch(/^Link plk_\w+, until \d{4}-.*Z, shown only once:$/);
    expect(url).toMatch(/^http:\/\/\S+\/console#token=ptl_[\w-]{49}$/);
    expect(rest.at(-1)).toMatch(
      /^To end it earlier: npm run admin -- portal-link revoke plk_\w+ --customer cus_\w+ --stack-file \S+$/,
    );
  });

  it.each([
    ['keys issue --customer cus_x', 'Customer cus_x not found. List them with: npm run admin -- '],
    ['keys revoke aky_x --customer cus_x --yes', 'Customer cus_x has no key aky_x. '],
    ['connections revoke con_x --yes', 'Connection con_x not found. '],
    ['connections create --user u --organization cus_x', 'Customer cus_x not found. '],
    ['portal-link --customer cus_x', 'Customer cus_x not found. List them with: npm run admin -- '],
    ['portal-link revoke --customer cus_x --link plk_x --yes', 'Customer cus_x has no link plk_x. List them with: '],
  ])('says in one line why it cannot do %s', async (command, line) => {
    const file = await stackFile(await stack.newCustomer());

    const { code, output } = await runAdmin(...command.split(' '), '--stack-file', file);

    expect([code, output]).toEqual([1, expect.stringContaining(line)]);
    expect(output.split('\n')).toHaveLength(1);
  });
});

describe('npm run emit -- --wait', () => {
  it('prints one line for each delivery once all have ended, and ends with 1 because one failed', async () => {
    const receiving = await stack.newCustomer();
    const { webhook } = await receiving.register(receiving.receiver('one', '?fail_first=1'));
    const { webhook: other } = await receiving.register(receiving.receiver('two', '?status=503'));
    let printed = '';
    const make = () =>
      emitProgram((text) => {
        printed += text;
      });
    const args = ['run.settled', '--customer', receiving.id, '--wait'];

    const { code, output } = await runCommand(make, [...args, '--stack-file', await stackFile(receiving)]);

    expect(printed).toMatch(new RegExp(`^Sent run\\.settled for ${receiving.id}: Run run_\\w+\nEvent evt_`));
    expect(printed).toMatch(new RegExp(`^whd_\\w+ +${webhook.id} +delivered +2 +after \\d+ ms +200$`, 'm'));
    expect(printed).toMatch(new RegExp(`^whd_\\w+ +${other.id} +failed +3 +after \\d+ ms +503$`, 'm'));
    expect([code, output]).toEqual([1, '1 of 2 deliveries failed']);
  });
});

it('npm run admin -- webhooks example prints how its delivery ended, and sends nothing to a failed endpoint', async () => {
  const receiving = await stack.newCustomer();
  const { webhook } = await receiving.register(receiving.receiver('example'));
  const { webhook: failed } = await receiving.register(receiving.receiver('no', '?handshake=500'));
  const example = ['webhooks', 'example', 'tracker.changed', '--wait', '--endpoint'];
  const file = await stackFile(receiving);

  const delivery = await adminJson(file, ...example, webhook.id);

  expect(delivery).toMatchObject({ example_type: 'tracker.changed', status: 'delivered', attempts: 1 });
  expect(await runAdmin(...example, failed.id, '--stack-file', file)).toEqual({
    code: 1,
    output: expect.stringContaining('will never become active'),
  });
});
