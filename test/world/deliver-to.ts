import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { resultOf, type Schemas } from '../../packages/api-client/client.ts';
import { openCertificate } from '../../tools/local/parties/receiver/certificates.ts';
import { seedCustomers } from '../../tools/local/stack/seed.ts';
import { startStack } from '../../tools/local/stack/start.ts';
import { eventually, only } from '../support/stack/eventually.ts';
import { StackCustomer } from '../support/stack/stack-customer.ts';
import { startApplication } from './application.ts';
import { lengthenLine } from './lengthen-line.ts';
import { scenariosOf } from './scenarios.ts';
import { startServer } from './start-server.ts';

type Delivery = Schemas['EndpointDelivery'];
/** A key has a request limit. */
const rarely = { interval: 10_000 };

/** Plays all scenarios of a server at the same time. @returns a row of the table for each */
export async function deliverTo(name: string, note: (line: string) => void, parts: AsyncDisposableStack) {
  const dir = await mkdtemp(`${tmpdir()}/world-`);
  parts.defer(() => rm(dir, { recursive: true, force: true }));
  const { cert, key } = await openCertificate(`${dir}/tls`, new Date());
  await writeFile(`${dir}/tls/both.pem`, `${cert}\n${key}`);
  const application = await startApplication(parts);
  const running: Record<number, ReturnType<typeof startServer>> = {};
  const places = [];
  for (const scenario of scenariosOf(name)) {
    const { keepAlive = 20, delayMs } = scenario;
    const settings = { dir: `${dir}/${keepAlive}`, keepAlive, application: application.address };
    running[keepAlive] ??= startServer(name, settings, parts);
    const { port, reload } = await running[keepAlive];
    const reached = delayMs === undefined ? port : await lengthenLine(port, delayMs, parts);
    places.push({ scenario, reload, origin: `https://localhost:${reached}` });
  }
  const repeated: string[] = [];
  const starting = startStack({
    port: 0,
    // The slow server ends all that it accepted before a retry, as on AWS.
    timeScale: name === 'slow-gunicorn' ? 12 : 120,
    stateDir: dir,
    trustedOrigins: places.map(({ origin }) => origin),
    onLogLine: (_source, line) => repeated.push(...repeatsIn(line)),
  });
  parts.defer(() => starting.then((stack) => stack.close()));
  const { info } = await starting;
  const target = { tableName: info.table_name, dynamodbUrl: info.endpoints.dynamodb };
  const rows = places.map(async ({ scenario, reload, origin }) => {
    const title = `${name}, ${scenario.name}`;
    const customer = new StackCustomer(info, only(await seedCustomers(target, [title])));
    const paths = new Map<string, string>();
    let expected = 0;
    for (const path of scenario.paths) {
      const { webhook } = await customer.register(origin + path);
      paths.set(webhook.id, path);
      expected += webhook.status === 'active' ? 1 + scenario.events.length : 1;
    }
    const { events, reloads = [] } = scenario;
    const sending = events.map((ms) => sleep(ms).then(() => customer.settleRun()));
    await Promise.all([...sending, ...reloads.map((ms) => sleep(ms).then(reload))]);
    note(`${title}: sent`);
    const requestsFor = ({ webhook_id, event_id }: Delivery) => application.requests(paths.get(webhook_id), event_id);
    const ended = await eventually(() => listEnded(customer, expected), rarely);
    const reasons = new Set<string>();
    for (const { webhook_id, id } of ended.filter((each) => lostOf(each) > 0).slice(0, 5)) {
      const { attempt_log } = await eventually(() => customer.delivery(webhook_id, id), rarely);
      reasons.add(attempt_log.map(({ outcome, error }) => error ?? outcome).join('; '));
    }
    for (const reason of reasons) note(`${title}: ${reason}`);
    return {
      server: name,
      scenario: scenario.name,
      events: ended.length,
      attempts: sum(ended.map(({ attempts }) => attempts)),
      'attempts lost': sum(ended.map(lostOf)),
      'requests repeated': repeated.filter((webhookId) => paths.has(webhookId)).length,
      'requests worked': sum(ended.map(requestsFor)),
      'deliveries failed': ended.filter(({ status }) => status === 'failed').length,
    };
  });
  return await Promise.all(rows);
}

/** @throws Error while a delivery is pending or missing */
async function listEnded(customer: StackCustomer, expected: number): Promise<readonly Delivery[]> {
  const ended: Delivery[] = [];
  for (let query: object | null = { limit: 100 }; query !== null; ) {
    const listing = customer.api.GET('/v1/deliveries', { params: { query } });
    const page: { items: Delivery[]; next_cursor: string | null } = await resultOf(listing);
    ended.push(...page.items.filter(({ status }) => status !== 'pending'));
    query = page.next_cursor === null ? null : { limit: 100, cursor: page.next_cursor };
  }
  if (ended.length < expected) throw new Error(`${ended.length} of ${expected} deliveries have ended`);
  return ended;
}

/** The endpoint of each request of which a line of the log says that it was sent again. */
function* repeatsIn(line: string): Iterable<string> {
  let webhookId = '';
  for (const [, id] of line.matchAll(/"webhook_id":"(\w+)"|"repeated":true/g)) {
    if (id === undefined) yield webhookId;
    else webhookId = id;
  }
}

const lostOf = ({ attempts, status }: Delivery): number => attempts - (status === 'delivered' ? 1 : 0);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
