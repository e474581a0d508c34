import { randomBytes } from 'node:crypto';
import { connectApi } from '../../packages/api-client/client.ts';
import type { CheckResult } from '../conformance/harness/runner.ts';
import { runSmokeChecks, type SuiteCustomers } from './conformance-checks.ts';
import {
  awaitDelivered,
  type Delivered,
  registerEndpoint,
  sendEvent,
  verifySignature,
} from './real-delivery.ts';
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

/** The suite makes about 200 requests as the first customer, and a key admits 60 a minute. */
const keysOfCustomer = 5;
const keysOfOther = 2;

/** Runs every step, and removes what was made even when a step failed or the run was stopped. */
export async function runSmoke(run: SmokeRun) {
  const world: World = { ...run, steps: new Steps(run), made: [], sent: [] };
  const shown = await unlessNotDone(() => showAll(world));
  world.steps.notRun(Object.values(names), run.signal.aborted ? stopped : 'An earlier step failed');
  const leftBehind = await removeCustomers(world);
  return {
    steps: world.steps.results,
    delivery: shown?.delivery ?? null,
    checks: shown?.checks ?? [],
    /** Ids of the customers of the run. */
    customers: world.made.map(({ id }) => id),
    leftBehind,
  };
}

async function showAll(world: World) {
  const customers = await world.steps.run(names.create, () => createBoth(world));
  const delivery = (await unlessNotDone(() => deliverOne(world, customers.customer))) ?? null;
  return { delivery, checks: await checkAll(world, customers) };
}

async function createBoth({ target, made }: World) {
  const tag = randomBytes(4).toString('hex');
  const keep = (customer: ThrowAwayCustomer) => void made.push(customer);
  const customer = await makeCustomer(target, `Smoke test ${tag}`, keysOfCustomer, keep);
  const other = await makeCustomer(target, `Smoke test ${tag}, other`, keysOfOther, keep);
  const keys = customer.keys.slice(0, -1);
  const spare = customer.keys.at(-1);
  if (spare === undefined) throw new Error('No key was issued');
  await revokeKey(target, customer.id, spare.id);
  return {
    value: { customer: { id: customer.id, keys }, other, revokedKey: spare.key },
    detail: `${customer.id} and ${other.id}, with ${customer.keys.length + other.keys.length} keys`,
  };
}

async function deliverOne(world: World, { id, keys }: ThrowAwayCustomer): Promise<Delivered> {
  const { steps, apiUrl, target, receiver, seconds, signal, sent: messages } = world;
  const api = connectApi({ url: apiUrl, credential: keys[0]?.key ?? '' });
  const endpoint = await steps.run(names.register, () => registerEndpoint(api, receiver.url));
  const wait = { seconds, signal };
  const test = { eventId: endpoint.testEventId };
  await steps.attempt(names.handshake, () => verifySignature(receiver, endpoint, test, wait));
  const sent = await steps.run(names.send, () => sendEvent(target, id, (message) => messages.push(message)));
  const { delivery, body } = await steps.run(names.deliver, () => awaitDelivered(api, endpoint, sent, wait));
  const event = { eventId: delivery.event_id, body };
  await steps.attempt(names.signature, () => verifySignature(receiver, endpoint, event, wait));
  return delivery;
}

async function checkAll(world: World, customers: SuiteCustomers): Promise<readonly CheckResult[]> {
  let results: readonly CheckResult[] = [];
  await world.steps.attempt(names.conform, async () => {
    results = await runSmokeChecks(world, customers);
    const failed = results.filter(({ outcome }) => outcome === 'failed').length;
    if (failed > 0) throw new Error(`${failed} of ${results.length} failed`);
    return { value: undefined, detail: `${results.length} passed` };
  });
  return results;
}
