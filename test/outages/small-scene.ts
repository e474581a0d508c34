import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openCertificate } from '../../local/parties/receiver/certificates.ts';
import { seedCustomers } from '../../local/stack/seed.ts';
import type { StackOptions } from '../../local/stack/stack-options.ts';
import { type RunningStack, startStack } from '../../local/stack/start.ts';
import { createSelfSigned } from '../support/http/certificates.ts';
import { StackCustomer } from '../support/stack/stack-customer.ts';
import { createWorkplace } from '../support/stack/stack-process.ts';
import { startOwnReceiver } from '../support/stack/stack-receiver.ts';

export type Registered = { readonly customer: StackCustomer; readonly id: string; readonly path: string };

type SmallScene = {
  readonly stack: RunningStack;
  readonly customers: readonly StackCustomer[];
  readonly endpoints: readonly Registered[];
};

/** A stack with endpoints that acknowledge every event at once. @param onPost called with each */
export async function setSmallScene(
  parts: AsyncDisposableStack,
  given: {
    readonly hostname: string;
    readonly customers: number;
    readonly endpointsEach: number;
    readonly onPost: (path: string, body: string) => void;
    readonly options: Partial<StackOptions>;
  },
): Promise<SmallScene> {
  const workplace = await createWorkplace();
  parts.defer(() => workplace.remove());
  const stateDir = join(workplace.dir, '.local');
  const receiver = await startOwnReceiver(
    await trustedCertificate(join(stateDir, 'tls'), given.hostname),
    (path, _number, { body }) => {
      given.onPost(path, body.toString());
      return 200;
    },
  );
  parts.defer(() => receiver.close());
  const origin = receiver.origin.replace('localhost', given.hostname);
  const own = { port: 0, stateDir, stackFile: null, trustedOrigins: [origin] };
  const stack = await startStack({ ...own, ...given.options });
  parts.defer(() => stack.close());
  await stack.warmUp();
  const { table_name: tableName, endpoints: services } = stack.info;
  const names = Array.from({ length: given.customers }, (_, index) => `Customer ${index}`);
  const seeded = await seedCustomers({ tableName, dynamodbUrl: services.dynamodb }, names);
  const customers = seeded.map((customer) => new StackCustomer(stack.info, customer));
  const endpoints: Registered[] = [];
  for (const [number, customer] of customers.entries()) {
    for (let count = 0; count < given.endpointsEach; count += 1) {
      const path = `/${number}/${count}`;
      endpoints.push({ customer, id: (await customer.register(origin + path)).webhook.id, path });
    }
  }
  return { stack, customers, endpoints };
}

/** Puts a certificate with the name of the receiver where the stack keeps and trusts its own. */
async function trustedCertificate(folder: string, hostname: string) {
  const dns = ['receiver.localhost', '*.localhost', 'localhost', hostname];
  const pair = await createSelfSigned({ dns, ip: ['127.0.0.1'], until: 48 });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'certificate.json'), JSON.stringify(pair));
  return openCertificate(folder, new Date());
}
