import { readFile } from 'node:fs/promises';
import { configSchema, type SuiteConfig } from '../../tools/conformance/config.ts';
import { stackFileSchema } from '../../tools/local/stack/stack-file.ts';
import { adminJson, withId, withKey, withLink, withToken } from '../support/stack/operate.ts';

/** Times of the local stack pass this many times faster: an hour of retries takes three seconds. */
export const timeScale = 1200;

type Amounts = { readonly keys?: number; readonly otherKeys?: number; readonly credentials?: boolean };

type Operate = (command: string) => Promise<unknown>;

/**
 * Creates two customers on a running stack, with every credential and setting that the suite can use.
 *
 * @param file that describes the stack
 */
export async function provision(file: string, amounts: Amounts = {}): Promise<SuiteConfig> {
  const { keys = 12, otherKeys = 2, credentials = true } = amounts;
  const stack = stackFileSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  const operate: Operate = (command) => adminJson(file, ...command.split(' '));
  const [customer, other] = [await createCustomer(operate), await createCustomer(operate)];
  const { origin, inbox_url } = stack.receiver;
  return configSchema.parse({
    url: stack.api_url,
    docs_url: stack.docs_url,
    keys: await issueKeys(operate, customer, keys),
    other_keys: await issueKeys(operate, other, otherKeys),
    limit_key: (await issueKey(operate, customer)).api_key,
    receiver: { origin, inbox_url },
    plain_receiver: { url: `${origin}/${customer}-plain`, inbox_url },
    intake: {
      endpoint: stack.endpoints.sqs,
      queue_url: stack.intake_queue_url,
      region: stack.region,
      customer_id: customer,
      other_customer_id: other,
    },
    time_scale: timeScale,
    credentials: credentials ? await makeCredentials(operate, customer) : {},
  });
}

const createCustomer = async (operate: Operate) => withId.parse(await operate('customers create --name Suite')).id;

const issueKey = async (operate: Operate, customer: string) =>
  withKey.parse(await operate(`keys issue --customer ${customer}`));

const issueKeys = (operate: Operate, customer: string, count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await issueKey(operate, customer)).api_key));

async function makeCredentials(operate: Operate, customer: string) {
  const connect = async (flags = '') =>
    withId.parse(await operate(`connections create --user user_of_the_suite${flags}`)).id;
  const forCustomer = ` --organization ${customer}`;
  const mint = async (connection: string, flags = '') =>
    withToken.parse(await operate(`tokens mint --connection ${connection}${flags}`)).access_token;
  const [working, revoked, left, without] = await Promise.all([
    connect(forCustomer),
    connect(forCustomer),
    connect(forCustomer),
    connect(),
  ]);
  const link = async () => withLink.parse(await operate(`portal-link create --customer ${customer} --read-only`));
  const credentialIn = (url: string) => new URLSearchParams(new URL(url).hash.slice(1)).get('token');
  const [readOnlyLink, revokedLink] = [await link(), await link()];
  const key = await issueKey(operate, customer);
  await operate(`connections revoke ${revoked} --yes`);
  await operate(`connections revoke-access --connection ${left}`);
  await operate(`keys revoke ${key.id} --customer ${customer} --yes`);
  await operate(`portal-link revoke ${revokedLink.id} --customer ${customer} --yes`);
  return {
    revoked_key: key.api_key,
    token: await mint(working),
    expired_token: await mint(working, ' --expired'),
    foreign_audience_token: await mint(working, ' --audience something-else'),
    connection_revoked_token: await mint(revoked),
    organization_not_selected_token: await mint(without),
    organization_access_revoked_token: await mint(left),
    read_only_link: credentialIn(readOnlyLink.url),
    revoked_link: credentialIn(revokedLink.url),
  };
}
