import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { catalogue } from '../conformance/catalogue.ts';
import { configSchema, type SuiteConfig } from '../conformance/config.ts';
import { openSession } from '../conformance/harness/session.ts';
import { type CheckResult, runSuite } from '../conformance/run-suite.ts';
import { awaitDelivered, type Delivered, registerEndpoint, sendEvent, verifySignature } from './real-delivery.ts';
import { type SmokeRun, Steps, stopped, type ThrowAwayCustomer, unlessNotDone, type World } from './steps.ts';
import { makeCustomer, removeCustomers, revokeKey } from './throw-away-customers.ts';

export type SmokeResult = Awaited<ReturnType<typeof runSmoke>>;

const names = {
  create: 'create two customers',
  register: 'register an endpoint',
  handshake: 'verify the handshake',
  send: 'send an event',
  deliver: 'deliver it',
  signature: 'verify the delivery',
  conform: 'conformance checks',
};

/** The suite makes about 240 requests as the first customer, and a key admits 60 a minute. One key is revoked. */
const keysOfCustomer = 6;
const keysOfOther = 2;

/** Runs every step, and removes what was made even when a step failed or the run was stopped. */
export async function runSmoke(run: SmokeRun) {
  const world: World = { ...run, steps: new Steps(run), made: [], sent: [] };
  const shown = await unlessNotDone(() => showAll(world));
  const wasStopped = run.signal.aborted;
  world.steps.notRun(Object.values(names), wasStopped ? stopped : 'An earlier step failed');
  const leftBehind = await removeCustomers(world);
  return {
    steps: world.steps.results,
    delivery: shown?.delivery ?? null,
    checks: shown?.checks ?? [],
    /** Ids of the customers of the run. */
    customers: world.made.map(({ id }) => id),
    /** Before all was shown. */
    wasStopped,
    leftBehind,
  };
}

async function showAll(world: World) {
  const config = await world.steps.run(names.create, () => createBoth(world));
  const delivery = (await unlessNotDone(() => deliverOne(world, config))) ?? null;
  return { delivery, checks: await checkAll(world, config) };
}

/** @returns the settings of the conformance suite for two new customers, without a receiver or an issuer of its own */
async function createBoth({ apiUrl, target, made }: World) {
  const tag = randomBytes(4).toString('hex');
  const keep = (customer: ThrowAwayCustomer) => void made.push(customer);
  const customer = await makeCustomer(target, `Smoke test ${tag}`, keysOfCustomer, keep);
  const other = await makeCustomer(target, `Smoke test ${tag}, other`, keysOfOther, keep);
  const [revoked, ...keys] = customer.keys;
  if (revoked === undefined) throw new Error('No key was issued');
  await revokeKey(target, customer.id, revoked.id);
  customer.keys.shift();
  const config = configSchema.parse({
    url: apiUrl,
    keys: keys.map(({ key }) => key),
    other_keys: other.keys.map(({ key }) => key),
    credentials: { revoked_key: revoked.key },
    intake: {
      queue_url: target.intakeQueueUrl,
      region: await target.queues.config.region(),
      endpoint: target.queueEndpoint,
      customer_id: customer.id,
      other_customer_id: other.id,
    },
  });
  return {
    value: config,
    detail: `${customer.id} and ${other.id}, with ${keysOfCustomer + keysOfOther} keys`,
  };
}

async function deliverOne(world: World, config: SuiteConfig): Promise<Delivered> {
  const { steps, receiver, seconds, signal, sent } = world;
  const ctx = openSession(config, () => undefined);
  const clock = { now: ctx.now, sleep: (ms: number) => pause(ms, undefined, { signal }) };
  const wait = { seconds, clock };
  const endpoint = await steps.run(names.register, () => registerEndpoint(ctx, receiver.url));
  const test = { eventId: endpoint.testEventId };
  await steps.attempt(names.handshake, () => verifySignature(receiver, endpoint, test, wait));
  const event = await steps.run(names.send, () => sendEvent(ctx).finally(() => sent.push(...ctx.intake().sent)));
  const { delivery, body } = await steps.run(names.deliver, () => awaitDelivered(ctx, endpoint, event, wait));
  const shown = { eventId: delivery.event_id, body };
  await steps.attempt(names.signature, () => verifySignature(receiver, endpoint, shown, wait));
  return delivery;
}

async function checkAll({ steps, signal, note, sent }: World, config: SuiteConfig) {
  let results: readonly CheckResult[] = [];
  await steps.attempt(names.conform, async () => {
    const run = await runSuite(config, { groups: catalogue, signal, note });
    sent.push(...run.sent);
    results = run.checks;
    const { passed = [], failed = [] } = Object.groupBy(results, ({ outcome }) => outcome);
    if (failed.length > 0) throw new Error(`${failed.length} of ${passed.length + failed.length} failed`);
    return { value: undefined, detail: `${passed.length} passed` };
  });
  return results;
}
