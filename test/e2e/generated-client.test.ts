import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import * as z from 'zod';
import { seedCustomers } from '../../tools/local/stack/seed.ts';
import { saveClient } from '../support/docs/page-client.ts';
import { only } from '../support/stack/eventually.ts';
import { StackCustomer } from '../support/stack/stack-customer.ts';
import { Program } from '../support/stack/stack-process.ts';
import type { registeredAnswer } from '../support/values/answers.ts';

const { info } = inject('stack');

type Text = (...given: readonly unknown[]) => unknown;
const functionSchema = z.custom<Text>((value) => typeof value === 'function');
const eventModule = z.object({ verifiedEvent: functionSchema, describeEvent: functionSchema });

describe('the client of docs/pages/clients.md', () => {
  let dir: string;
  let key: string;
  let customer: StackCustomer;
  let registered: z.infer<typeof registeredAnswer>;
  beforeAll(async () => {
    const saved = await saveClient();
    dir = saved.dir;
    const target = { tableName: info.table_name, dynamodbUrl: info.endpoints.dynamodb };
    const seeded = only(await seedCustomers(target, ['Customer with a generated client']));
    key = seeded.api_key;
    customer = new StackCustomer(info, seeded);
    registered = await customer.register(customer.receiver('client'));
    return saved.remove;
  });

  async function run(webhookId: string) {
    const env = { API_URL: info.api_url, API_KEY: key };
    const program = await Program.start(process.execPath, ['deliveries.ts', webhookId], { cwd: dir, env });
    return { code: await program.exited(), lines: program.output.trim().split('\n') };
  }

  it('reads the deliveries of an endpoint, one on each page', async () => {
    const file = join(dir, 'deliveries.ts');
    await writeFile(file, (await readFile(file, 'utf8')).replace('limit: 100', 'limit: 1'));
    await customer.settleRun();
    const { id } = await customer.endedDelivery(registered.webhook.id);

    expect(await run(registered.webhook.id)).toEqual({
      code: 0,
      lines: [`${id} run.completed delivered`, `${registered.test_delivery.id} webhook.test delivered`],
    });
  });

  it('knows the code of a problem', async () => {
    expect(await run('whe_1')).toEqual({ code: 1, lines: ['There is no endpoint whe_1'] });
  });

  it('verifies and describes the event that the receiver got', async () => {
    const url = pathToFileURL(join(dir, 'events.ts')).href;
    const { verifiedEvent, describeEvent } = eventModule.parse(await import(url));
    const { headers, body } = only(await customer.received('client', 1));
    const { run_id, charge_usd } = z
      .object({ run_id: z.string(), charge_usd: z.number() })
      .parse(JSON.parse(body.toString()));

    const event = verifiedEvent(body.toString(), headers, registered.secret);

    expect(describeEvent(event)).toBe(`Run ${run_id} is completed and cost USD ${charge_usd}`);
    expect(() => verifiedEvent(`${body} `, headers, registered.secret)).toThrow('No matching signature found');
  });
});
