import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import * as z from 'zod';
import { portalLinkFunctionFolder } from '#shared/contract/functions.ts';
import { limits } from '#shared/contract/limits.ts';
import { defaultBundleFolder, repositoryRoot } from '../../lib/bundle.ts';
import { functions } from '../../lib/functions.ts';
import { localEnvironment } from '../../local/aws/lambda/function-environment.ts';
import { LambdaFunction } from '../../local/aws/lambda/lambda-function.ts';
import { runAdmin, useOperator, withLink } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';

const stack = useStack();
const { operate, stackFile } = useOperator();
const { info, sessions } = inject('stack');

const credentialOf = ({ url }: { readonly url: string }) => url.replace(/^.*#token=/, '');
const page = z.object({
  items: z.array(z.looseObject({ id: z.string(), webhook_id: z.string().optional() })),
});

describe.concurrent('a portal link', () => {
  it('signs in to the console of its customer alone, and may do what a key may', async () => {
    const [customer, other] = [await stack.newCustomer(), await stack.newCustomer()];
    await other.register(other.receiver('other'));
    const link = withLink.parse(await operate(customer, 'portal-link', '--customer', customer.id));
    const token = credentialOf(link);
    expect(link.url).toBe(`${info.api_url}/console#token=${token}`);

    const { webhook } = await customer.register(customer.receiver('own'));
    const own = await customer.ask('GET', '/v1/webhooks', token);
    const all = await customer.ask('GET', '/v1/deliveries', token);
    const rotated = await customer.ask('POST', `/v1/webhooks/${webhook.id}/rotate`, token);

    expect(page.parse(own.body).items.map(({ id }) => id)).toEqual([webhook.id]);
    expect(page.parse(all.body).items.map(({ webhook_id }) => webhook_id)).toEqual([webhook.id]);
    expect(rotated.status).toBe(200);
  });

  it('says who it acts for, by the public name, and when it ends, and is counted apart from the keys of the customer', async () => {
    const customer = await stack.newCustomer('Acme Video');
    const name = (...names: readonly string[]) =>
      operate(customer, 'customers', 'rename', '--customer', customer.id, ...names);
    await name('--name', 'Acme, pays late');
    const before = Date.now();
    const link = withLink.parse(
      await operate(customer, 'portal-link', 'create', '--customer', customer.id, '--minutes', '5'),
    );

    const first = await customer.ask('GET', '/v1/credential', credentialOf(link));
    await customer.request('GET', '/v1/webhooks');
    const second = await customer.ask('GET', '/v1/credential', credentialOf(link));
    await name('--public-name', '');
    const { body: ofKey } = await customer.request('GET', '/v1/credential');

    expect(first.body).toEqual({
      kind: 'portal_link',
      customer_id: customer.id,
      customer_name: 'Acme Video',
      expires_at: expect.any(String),
    });
    const { expires_at } = z.object({ expires_at: z.string() }).parse(first.body);
    expect(Date.parse(expires_at)).toBeGreaterThanOrEqual(before + 5 * 60_000);
    expect(Date.parse(expires_at)).toBeLessThan(Date.now() + 5 * 60_000 + 1);
    expect([first, second].map(({ headers }) => headers.get('RateLimit')?.match(/r=(\d+)/)?.[1])).toEqual([
      `${limits.requestsPerMinute - 1}`,
      `${limits.requestsPerMinute - 2}`,
    ]);
    expect(ofKey).toEqual({
      kind: 'api_key',
      customer_id: customer.id,
      customer_name: null,
      expires_at: null,
    });
  });

  it('is refused from the next request on once the operator revokes it', async () => {
    const customer = await stack.newCustomer();
    const of = ['--customer', customer.id] as const;
    const link = withLink.parse(await operate(customer, 'portal-link', ...of));
    expect(await customer.ask('GET', '/v1/webhooks', credentialOf(link))).toMatchObject({ status: 200 });

    const revoked = await operate(customer, 'portal-link', 'revoke', ...of, '--link', link.id);

    expect(await customer.ask('GET', '/v1/webhooks', credentialOf(link))).toMatchObject({
      status: 401,
      body: { code: 'portal_link_ended' },
    });
    expect(await operate(customer, 'portal-link', 'list', ...of)).toEqual([revoked]);
    expect(JSON.stringify(revoked)).not.toContain('ptl_');
  });
});

describe('npm run admin -- portal-link', () => {
  it('says what went wrong and what to do next, and exits with 1, or with 2 for a wrong option', async () => {
    const customer = await stack.newCustomer();
    const on = ['--stack-file', await stackFile(customer)] as const;
    const known = ['--customer', customer.id] as const;

    expect(await runAdmin('portal-link', '--customer', 'cus_none', ...on)).toEqual({
      code: 1,
      output: expect.stringMatching(
        /Customer cus_none not found\. List them with: npm run admin -- customers list/,
      ),
    });
    for (const minutes of ['0', '1441', '1.5', '1e2', '-5', 'ten']) {
      expect(await runAdmin('portal-link', ...known, '--minutes', minutes, ...on)).toEqual({
        code: 2,
        output: expect.stringContaining('Give a whole number from 1 to 1440'),
      });
    }
    expect(await runAdmin('portal-link', 'revoke', ...known, '--link', 'plk_none', ...on)).toEqual({
      code: 1,
      output: expect.stringContaining(
        `has no link plk_none. List them with: npm run admin -- portal-link list --customer ${customer.id}`,
      ),
    });
    expect(await runAdmin('portal-link', 'list', ...known, ...on)).toMatchObject({
      code: 0,
      output: expect.stringContaining('No links of the last day'),
    });
  });

  it('prints the address on a line of its own, and how to end it', async () => {
    const customer = await stack.newCustomer();

    const on = ['--stack-file', await stackFile(customer)] as const;
    const { code, output } = await runAdmin('portal-link', '--customer', customer.id, ...on);

    expect(code).toBe(0);
    const [head, url, ...rest] = output.trimEnd().split('\n');
    expect(head).toMatch(/^Link plk_\w+, until \d{4}-.*Z, shown only once:$/);
    expect(url).toMatch(/^http:\/\/\S+\/console#token=ptl_[\w-]{49}$/);
    expect(rest.at(-1)).toMatch(
      /^To end it earlier: npm run admin -- portal-link revoke --customer cus_\w+ --link plk_\w+$/,
    );
  });
});

/** The bundle of the function with the permissions of its role, as the local stack runs the others. */
describe('the function operator/create-portal-link', () => {
  let lambda: LambdaFunction;
  const lines: string[] = [];

  beforeAll(() => {
    const name = sessions[portalLinkFunctionFolder] ?? '';
    const { memory, timeout } = functions[portalLinkFunctionFolder];
    lambda = new LambdaFunction({
      model: {
        name,
        arn: name,
        title: name,
        handler: 'index.handler',
        codeDirectory: join(defaultBundleFolder(repositoryRoot), portalLinkFunctionFolder),
        timeoutSeconds: timeout,
        memoryMegabytes: memory,
        allowsLoops: false,
        environment: {},
      },
      environment: {
        ...localEnvironment({
          endpoints: info.endpoints,
          trustedOrigins: [],
          timeScale: 1,
          issuerOrigin: info.api_url,
        }),
        AWS_SESSION_TOKEN: name,
        TABLE_NAME: info.table_name,
        BASE_URL: info.api_url,
        STAGE: 'local',
      },
      extraCertificates: [],
      onLogLine: (line) => void lines.push(line),
    });
  });
  afterAll(() => lambda.close());

  it('creates a link with the permissions of its role, and logs no credential', async () => {
    const customer = await stack.newCustomer();

    const answer = await lambda.invoke({ customer_id: customer.id, minutes: 10 });

    const created = withLink.parse(answer.ok ? answer.payload : answer);
    expect(await customer.ask('GET', '/v1/credential', credentialOf(created))).toMatchObject({
      status: 200,
      body: { kind: 'portal_link', customer_id: customer.id },
    });
    expect(await operate(customer, 'portal-link', 'list', '--customer', customer.id)).toMatchObject([
      { id: created.id },
    ]);
    expect(lines.join('\n')).toContain(created.id);
    expect(lines.join('\n')).not.toContain('ptl_');
  });

  it('answers a refusal as an error with a kind', async () => {
    expect(await lambda.invoke({ customer_id: 'cus_none' })).toMatchObject({
      ok: false,
      errorType: 'CustomerNotFound',
    });
    expect(await lambda.invoke({})).toMatchObject({ ok: false, errorType: 'InvalidRequest' });
  });
});
