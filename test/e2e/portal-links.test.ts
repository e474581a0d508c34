import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import * as z from 'zod';
import { portalLinkFunctionFolder } from '#shared/contract/functions.ts';
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

describe('a portal link', () => {
  it('signs in to the console of its customer alone, and may do what a key may', async () => {
    const [customer, other] = [await stack.newCustomer('Acme Video'), await stack.newCustomer()];
    await other.register(other.receiver('other'));
    const of = ['--customer', customer.id] as const;
    await operate(customer, 'customers', 'rename', ...of, '--name', 'Acme, pays late');
    const link = withLink
      .extend({ expires_at: z.string() })
      .parse(await operate(customer, 'portal-link', ...of));
    const token = credentialOf(link);
    expect(link.url).toBe(`${info.api_url}/console#token=${token}`);

    const { webhook } = await customer.register(customer.receiver('own'));
    const { body: who } = await customer.ask('GET', '/v1/credential', token);
    const own = await customer.ask('GET', '/v1/webhooks', token);
    const all = await customer.ask('GET', '/v1/deliveries', token);
    const rotated = await customer.ask('POST', `/v1/webhooks/${webhook.id}/rotate`, token);
    const revoked = await operate(customer, 'portal-link', 'revoke', ...of, '--link', link.id);
    const late = await customer.ask('GET', '/v1/webhooks', token);

    // By the public name, which no note of the operator changes.
    const expected = { kind: 'portal_link', customer_id: customer.id, customer_name: 'Acme Video' };
    expect(who).toEqual({ ...expected, expires_at: link.expires_at });
    expect(page.parse(own.body).items.map(({ id }) => id)).toEqual([webhook.id]);
    expect(page.parse(all.body).items.map(({ webhook_id }) => webhook_id)).toEqual([webhook.id]);
    expect(rotated.status).toBe(200);
    expect(late).toMatchObject({ status: 401, body: { code: 'portal_link_ended' } });
    expect(await operate(customer, 'portal-link', 'list', ...of)).toEqual([revoked]);
    expect(JSON.stringify(revoked)).not.toContain('ptl_');
  });

  it('is printed on a line of its own, with how to end it', async () => {
    const customer = await stack.newCustomer();
    const on = ['--stack-file', await stackFile(customer)] as const;

    const { code, output } = await runAdmin('portal-link', '--customer', customer.id, ...on);

    const [head, url, ...rest] = output.trimEnd().split('\n');
    expect(code).toBe(0);
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
});
