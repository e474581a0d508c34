import { type Message, SendMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { takeDeadLetters } from '#shared/aws/queues/dead-letter-queue.ts';
import { sendToDeadLetters } from '#shared/aws/queues/send-to-dead-letters.ts';
import { useQueues } from '../support/aws/queues.ts';
import { adminJson, runAdmin, useOperator } from '../support/stack/operate.ts';
import { buildStackFile } from '../support/stack/stack-file.ts';

const { client, config, make, drain } = useQueues();

const { stackFile } = useOperator();

/** What SQS moves there by itself has no reason. @returns the id of the message */
async function putDead(queueUrl: string, body: string): Promise<string> {
  const { MessageId } = await client().send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body }));
  return z.string().parse(MessageId);
}

const bodiesOf = (messages: readonly Message[]) => messages.map(({ Body }) => Body).toSorted();

const listed = z.object({
  dead_letters: z.array(
    z.looseObject({
      id: z.string(),
      sent_at: z.iso.datetime(),
      receive_count: z.number(),
      reason: z.string().nullable(),
    }),
  ),
  queues: z.array(z.object({ queue: z.string(), listed: z.number(), total: z.number() })),
});

/** Queues of one test, and the command line that acts on them. */
async function setUp({ intake }: { readonly intake?: string } = {}) {
  const queues = {
    intake: intake ?? (await make()),
    delivery: await make(),
    deadIntake: await make(),
    deadDelivery: await make(),
  };
  const nowhere = buildStackFile();
  const stack = buildStackFile({
    intake_queue_url: queues.intake,
    delivery_queue_url: queues.delivery,
    replay_queue_url: await make(),
    intake_dead_letter_queue_url: queues.deadIntake,
    delivery_dead_letter_queue_url: queues.deadDelivery,
    replay_dead_letter_queue_url: await make(),
    endpoints: { ...nowhere.endpoints, sqs: config().endpoint },
  });
  const file = await stackFile({ stack });
  const deadLetters = (...args: readonly string[]) => runAdmin('dead-letters', ...args, '--stack-file', file);
  const printed = (...args: readonly string[]) => adminJson(file, 'dead-letters', ...args);
  return {
    file,
    queues,
    deadLetters,
    reject: sendToDeadLetters(client(), queues.deadIntake),
    list: async () => listed.parse(await printed('list')),
    redrive: (...args: readonly string[]) => printed('redrive', ...args),
    left: async (queueUrl: string) => bodiesOf(await drain(queueUrl)),
  };
}

const notFound = {
  code: 1,
  output: expect.stringMatching(
    /^Dead letter unknown not found\. List them with: npm run admin -- dead-letters list --stack-file \S+$/,
  ),
};

const intakeBody = '{"type":"run.saved",  "charge_usd":1.10, "name":"\\u0041é😀"}';
const deliveryBody = JSON.stringify({
  customer_id: 'cus_1',
  webhook_id: 'whe_1',
  delivery_id: 'whd_1',
  attempt: 2,
});
const reason = 'run: Invalid input';

describe.concurrent('dead-letters list', () => {
  it('dead-letters list tells what is in all queues and why, the same when asked again', async () => {
    const { queues, list, reject } = await setUp();
    const moved = await putDead(queues.deadIntake, intakeBody);
    await reject('{"type":', reason);
    const delivery = await putDead(queues.deadDelivery, deliveryBody);

    const [first, second] = [await list(), await list()];

    const subject = 'whd_1 of whe_1, attempt 2';
    const expected = [
      { queue: 'intake', id: moved, subject: 'run.saved', reason: null },
      { queue: 'intake', subject: null, reason },
      { queue: 'delivery', id: delivery, subject, reason: null },
    ];
    for (const { dead_letters, queues: counts } of [first, second]) {
      expect(dead_letters).toHaveLength(3);
      expect(dead_letters).toEqual(expect.arrayContaining(expected.map((letter) => expect.objectContaining(letter))));
      expect(counts).toEqual([
        { queue: 'intake', listed: 2, total: 2 },
        { queue: 'delivery', listed: 1, total: 1 },
        { queue: 'replay', listed: 0, total: 0 },
      ]);
    }
  });

  it('dead-letters list says how many it does not show, and how many another command holds', async () => {
    const { queues, deadLetters, reject } = await setUp();
    for (let number = 0; number < 3; number++) await reject(`{"secret":${number}}`, reason);

    const { output } = await deadLetters('list', '--queue', 'intake', '--limit', '1');
    await takeDeadLetters(client(), queues.deadIntake, 300)();
    const held = await deadLetters('list', '--queue', 'intake');

    expect(output).toMatch(/^QUEUE .*\nintake .*\nintake: about 2 more; raise --limit to list them\n$/);
    expect(output).not.toContain('secret');
    expect(held.output).toBe(
      'No dead letters found\n' +
        'intake: about 3 more, held by another command or just deleted; try again in a minute\n',
    );
  });
});

describe.concurrent('dead-letters redrive', () => {
  it('dead-letters redrive puts messages back byte for byte, each onto the queue it came from, but not malformed ones, and says why', async () => {
    const { file, queues, deadLetters, list, reject, left } = await setUp();
    await putDead(queues.deadIntake, intakeBody);
    await putDead(queues.deadDelivery, deliveryBody);
    await reject('{"type":', reason);
    await list();

    const { output } = await deadLetters('redrive');

    expect(output.split('\n')).toEqual([
      'QUEUE     PUT BACK  SKIPPED',
      'intake    1         1',
      'delivery  1         0',
      'replay    0         0',
      'intake: skipped 1, because rejected messages return unless the cause is fixed. ' +
        `List them with: npm run admin -- dead-letters list --queue intake --stack-file ${file}. ` +
        `Once it is fixed: npm run admin -- dead-letters redrive --malformed --queue intake --stack-file ${file}`,
      '',
    ]);
    expect(await left(queues.intake)).toEqual([intakeBody]);
    expect(await left(queues.delivery)).toEqual([deliveryBody]);
    expect(await left(queues.deadDelivery)).toEqual([]);
    expect(await drain(queues.deadIntake)).toMatchObject([
      { Body: '{"type":', MessageAttributes: { reason: { StringValue: reason } } },
    ]);
  });

  it('dead-letters redrive puts back the named messages alone, of every queue, and says where to look for one that is not there', async () => {
    const { queues, deadLetters, left } = await setUp();
    const one = await putDead(queues.deadIntake, 'one');
    await putDead(queues.deadIntake, 'two');
    const three = await putDead(queues.deadDelivery, 'three');

    expect(await deadLetters('redrive', '--id', one, three, '--id', 'unknown')).toEqual(notFound);
    expect(await deadLetters('show', 'unknown')).toEqual(notFound);

    expect(await left(queues.intake)).toEqual(['one']);
    expect(await left(queues.delivery)).toEqual(['three']);
    expect(await left(queues.deadIntake)).toEqual(['two']);
  });

  it('dead-letters redrive says what it did when the queue to put them back onto is gone', async () => {
    const { queues, deadLetters, left } = await setUp({ intake: `${await make()}-gone` });
    await putDead(queues.deadIntake, intakeBody);

    const { code, output } = await deadLetters('redrive');

    expect(code).toBe(1);
    expect(output).toMatch(
      /^Put back 0 dead letters of the intake queue; the others are still there: .*: check --stage/,
    );
    expect(await left(queues.deadIntake)).toEqual([intakeBody]);
  });
});

const mebibyte = 1024 * 1024;
/** What a reason takes beside its own bytes: its name and its type. */
const overhead = 'reasonString'.length;

describe.concurrent.each<[string, string, string]>([
  ['as large as SQS takes', 'x'.repeat(mebibyte), expect.stringMatching(/^The message leaves no room /)],
  ['of two-byte characters that leaves room for six', 'é'.repeat((mebibyte - overhead) / 2 - 3), 'run: I'],
])('a malformed message %s', (_case, body, seen) => {
  it('a malformed message is set aside whole, is told from a good one, and returns without its reason on request', async () => {
    const { queues, list, redrive, reject, left } = await setUp();

    await reject(body, reason);

    expect((await list()).dead_letters).toMatchObject([{ queue: 'intake', reason: seen }]);
    const nothing = { redriven: [], skipped: 1, more: false, held_elsewhere: 0 };
    expect(await redrive('--queue', 'intake')).toEqual([{ ...nothing, queue: 'intake' }]);
    await redrive('--queue', 'intake', '--malformed');
    const [back, ...others] = await drain(queues.intake);
    expect([back?.Body === body, back?.MessageAttributes, others]).toEqual([true, undefined, []]);
    expect(await left(queues.deadIntake)).toEqual([]);
  });
});

describe.concurrent('dead-letters delete', () => {
  it('dead-letters delete deletes the named messages of both queues, malformed or not, and puts nothing back', async () => {
    const { queues, deadLetters, list, left } = await setUp();
    const one = await putDead(queues.deadIntake, intakeBody);
    await putDead(queues.deadIntake, 'two');
    await sendToDeadLetters(client(), queues.deadDelivery)('{"type":', reason);
    const malformed = (await list()).dead_letters.find((letter) => letter.reason !== null)?.id ?? '';

    const output = 'QUEUE     DELETED\nintake    1\ndelivery  1\n';
    expect(await deadLetters('delete', one, malformed, '--yes')).toEqual({ code: 0, output });

    expect((await list()).queues.map(({ total }) => total)).toEqual([1, 0, 0]);
    expect(await left(queues.deadIntake)).toEqual(['two']);
    for (const queue of [queues.deadDelivery, queues.intake, queues.delivery]) expect(await left(queue)).toEqual([]);
  });

  it('dead-letters delete deletes all rejected messages that fit, after showing them', async () => {
    const { queues, deadLetters, reject, left } = await setUp();
    await putDead(queues.deadIntake, intakeBody);
    for (const name of ['a', 'b']) await reject(`{"type":"${name}"}`, reason);
    await reject('{"type":"c"}', 'unknown_customer: cus_1');
    const remove = (...args: readonly string[]) => deadLetters('delete', '--queue', 'intake', ...args);
    const text = (part: string) => expect.stringContaining(part);

    const plan = await remove('--malformed', '--dry-run');
    const refused = await remove('--malformed');
    const one = await remove('--reason', 'unknown_customer', '--yes');
    const none = await remove('--reason', 'unknown_customer', '--yes');
    const others = await remove('--malformed', '--yes');

    expect(plan).toEqual({ code: 0, output: text('To delete: 3 messages\n') });
    expect(refused).toEqual({ code: 2, output: text('add --yes to confirm') });
    expect(one).toEqual({ code: 0, output: text('To delete: 1 message\nQUEUE   DELETED\nintake  1\n') });
    expect(none).toEqual({ code: 0, output: 'No such dead letters\n' });
    expect(others).toEqual({ code: 0, output: text('intake  2\n') });
    expect(await left(queues.deadIntake)).toEqual([intakeBody]);
  });

  it('dead-letters delete says how many messages another command holds, which it does not delete', async () => {
    const { file, queues, deadLetters, reject } = await setUp();
    for (const name of ['a', 'b']) await reject(`{"type":"${name}"}`, reason);
    await takeDeadLetters(client(), queues.deadIntake, 300)();
    const remove = (...args: readonly string[]) => deadLetters('delete', '--queue', 'intake', ...args);
    const held = 'intake: another command holds about 2 more; try again in a few minutes\n';

    const results = [await remove('--malformed', '--dry-run'), await remove('--malformed', '--yes')];
    const printed = await adminJson(file, 'dead-letters', 'delete', '--queue', 'intake', '--malformed', '--yes');

    expect(results).toEqual(Array(2).fill({ code: 0, output: `No such dead letters\n${held}` }));
    expect(printed).toEqual([{ queue: 'intake', deleted: [], held_elsewhere: 2 }]);
  });

  it.each([[[]], [['some-id', '--malformed']]])('is refused as a wrong command line with %j', async (args) => {
    const { deadLetters } = await setUp();

    expect(await deadLetters('delete', ...args, '--yes')).toEqual({
      code: 2,
      output: expect.stringContaining('Give the ids of the messages, or --malformed, or --reason <text>'),
    });
  });
});
