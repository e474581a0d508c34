import type { Delivery } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { makeId } from '#shared/domain/ids.ts';
import { keyedRequest, requestKey } from '#shared/domain/request-key.ts';
import { makeSigningSecret, secretPrefix } from '#shared/domain/signing-secret.ts';
import { deleteWebhook } from '#shared/operations/customer/delete-webhook.ts';
import { doOnce } from '#shared/operations/customer/do-once.ts';
import { registerWebhook } from '#shared/operations/customer/register-webhook.ts';
import { replayDelivery } from '#shared/operations/customer/replay-delivery.ts';
import { rotateSecret } from '#shared/operations/customer/rotate-secret.ts';
import { cancelBulkReplay } from '#shared/operations/replays/cancel-bulk-replay.ts';
import { startBulkReplay } from '#shared/operations/replays/start-bulk-replay.ts';
import type { SecretSeed } from '#shared/operations/seed.ts';
import { askedTable } from '../../support/table/asked-table.ts';
import { tablePorts } from '../../support/table/table-ports.ts';
import { buildEndpoint, hour } from '../../support/values/builders.ts';
import { sealed } from '../../support/values/sealed-secrets.ts';
import type { FunctionName } from './functions.ts';
import type { ApiCall } from './journal.ts';
import type { Ports } from './ports.ts';
import type { Act, Action, Several } from './script.ts';
import type { World } from './world.ts';

/** What happens, by the name of the action. */
export type Acts = { readonly [D in Action['do']]?: (world: World, act: Act<D>) => void };

/** Two customers, so that one can use the ids of the other. */
export const customers = ['cus_A', 'cus_B'] as const;

/** Active endpoints that were registered before the run began. */
export function giveEndpoints(world: World, customerId: string, count: number): void {
  const { table, random, receivers } = world;
  for (let number = 0; number < count; number += 1) {
    const now = world.timeline.now - 1000 + number;
    const secret = makeSigningSecret(random.bytes(32));
    const id = makeId('webhook', now, random.bytes(10));
    const endpoint = buildEndpoint({
      id,
      customerId,
      url: receivers.newUrl(),
      secret: sealed(secret, { customerId, webhookId: id }),
      secretPrefix: secretPrefix(secret),
      // Before the events that ended before the run.
      createdAt: now - 24 * hour,
      activatedAt: now,
      lastDeliveryAt: now,
      deliveryPartitions: 1 + random.below(3),
      slowSince: world.script.slowBefore === true ? now - random.below(2 * 60_000) : null,
    });
    table.addEndpoint(endpoint);
  }
}

/** Endpoints that were registered and deleted long before the run began, and had no delivery. */
export function giveTombstones(world: World, customerId: string, count: number): void {
  const { table, random, receivers } = world;
  const at = world.timeline.now - 30 * 24 * hour;
  const endpoints = Array.from({ length: count }, () => {
    const id = makeId('webhook', at, random.bytes(10));
    const own = { id, customerId, url: receivers.newUrl(), createdAt: at };
    return buildEndpoint({ ...own, activatedAt: null, lastDeliveryAt: null });
  });
  table.putTombstones(endpoints, at);
}

/** Replays a second. The API takes no fractions; here, few deliveries take several steps of two. */
const bulkRate = 0.2;
const requestedBy = { by: 'customer', credentialId: 'aky_1' } as const;

export const customerActs = {
  register: (world, { customer, times, keyed }) => {
    const customerId = customerAt(customer);
    const key = keyFor(world, keyed, customerId, 'register');
    const keyedUrl = key === null ? null : world.receivers.newUrl();
    several(world, { times, keyed }, () => {
      const url = keyedUrl ?? world.receivers.newUrl();
      const call: ApiCall = { ...begin(world, customerId), key, do: 'register', url };
      askOnce(world, 'register', call, (ports, seed) =>
        registerWebhook(ports)(customerId, { url, description: '' }, seed),
      );
    });
  },

  delete: (world, act) =>
    onRecord(world, allEndpoints(world), act, ({ id: webhookId }, begun) =>
      askWithCredential(world, 'delete', { ...begun, do: 'delete', webhookId }, (ports) =>
        deleteWebhook(ports)(begun.customerId, webhookId),
      ),
    ),

  rotate: (world, act) =>
    onRecord(world, allEndpoints(world), act, ({ id: webhookId }, begun) =>
      askOnce(world, 'rotate', { ...begun, do: 'rotate', webhookId }, (ports, seed) =>
        rotateSecret(ports)(begun.customerId, webhookId, seed),
      ),
    ),

  replay: (world, act) =>
    onRecord(world, allDeliveries(world), act, ({ webhookId, id }, begun) => {
      const source = { customerId: begun.customerId, webhookId, id };
      const call: ApiCall = { ...begun, do: 'replay', source };
      askOnce(world, 'replay', call, (ports, seed) => replayDelivery(ports)(source, seed));
    }),

  replay_all: (world, act) =>
    onRecord(world, allEndpoints(world), act, ({ id: webhookId }, begun) => {
      const source = act.source === undefined ? undefined : picked(allEndpoints(world), act.source);
      const selection = {
        status: act.status,
        createdAfter: 0,
        createdBefore: null,
        sourceWebhookId: source?.id,
      };
      const call: ApiCall = { ...begun, do: 'replay_all', webhookId };
      const asked = { customerId: begun.customerId, webhookId, rate: bulkRate, requestedBy, selection };
      askOnce(world, 'startBulkReplay', call, (ports, seed) => startBulkReplay(ports)(asked, seed));
    }),

  cancel: (world, act) => {
    const jobs = world.journal.bulkReplays.map(({ job }) => job);
    onRecord(world, jobs, act, ({ webhookId, id }, begun) => {
      const job = { customerId: begun.customerId, webhookId, id };
      const call: ApiCall = { ...begun, do: 'cancel', job };
      askOnce(world, 'cancelBulkReplay', call, (ports) => cancelBulkReplay(ports)(job));
    });
  },

  /** An operator spreads future deliveries over more partitions, in one write. */
  spread: (world, { pick, partitions }) => {
    const endpoint = picked(allEndpoints(world), pick);
    if (endpoint === undefined) return;
    void tablePorts(askedTable(world.table)).raisePartitions(endpoint.customerId, endpoint.id, partitions);
  },
} satisfies Acts;

/** A call without a response. */
type Begun = Pick<ApiCall, 'startedAt' | 'customerId' | 'stranger' | 'key' | 'answeredAt' | 'isReplayed'> & {
  readonly outcome: null;
};

/** Calls about one of the records, if there is one, by its customer or by another. */
function onRecord<T extends { readonly customerId: string; readonly id: string }>(
  world: World,
  records: readonly T[],
  act: Several & { readonly do: string },
  call: (record: T, begun: Begun) => void,
): void {
  const record = picked(records, act.pick);
  if (record === undefined) return;
  const { stranger } = act;
  const customerId = stranger ? strangerTo(record.customerId) : record.customerId;
  const key = keyFor(world, act.keyed, customerId, act.do);
  several(world, act, () => call(record, { ...begin(world, customerId, stranger), key }));
}

/** A key that was never used, if the calls of an action have one. */
function keyFor(world: World, keyed: boolean | undefined, customerId: string, ...request: readonly string[]) {
  if (keyed !== true) return null;
  const key = Buffer.from(world.random.bytes(8)).toString('hex');
  return keyedRequest(requestKey(customerId, key), ...request);
}

/** Repeats a call, at once or in quick succession, as impatient people and clients do; with a key, also after a while. */
export function several(
  world: World,
  { times, keyed }: { readonly times: number; readonly keyed?: boolean | undefined },
  run: () => void,
): void {
  const { random } = world;
  const quick = random.oneIn(2) ? 0 : random.between(1, 200);
  const pace = keyed === true && random.oneIn(2) ? random.between(1_000, 40_000) : quick;
  run();
  for (let time = 1; time < times; time += 1) world.timeline.after(time * pace, run);
}

/** Calls the API and records its response, if there is one. */
export function ask<T>(
  world: World,
  name: FunctionName,
  call: ApiCall,
  work: (ports: Ports) => Promise<T>,
  onSuccess: (value: T) => void = () => {},
): void {
  world.journal.calls.push(call);
  world.invoke(name, work, (outcome) => {
    Object.assign(call, { outcome, answeredAt: world.timeline.now });
    if (outcome.ok) onSuccess(outcome.value);
  });
}

/** The credentials of a deleted customer are refused. */
const askWithCredential: typeof ask = (world, name, call, work, onSuccess) => {
  if (world.table.customers.has(call.customerId)) ask(world, name, call, work, onSuccess);
};

/** Calls an operation that takes a key as its handler does. */
function askOnce(
  world: World,
  name: FunctionName,
  call: ApiCall,
  run: (ports: Ports, seed?: SecretSeed) => Promise<unknown>,
): void {
  const { key } = call;
  askWithCredential(world, name, call, async (ports) => {
    if (key === null) return await run(ports);
    const { body, isReplayed } = await doOnce(ports)(key, (seed) => run(ports, seed));
    call.isReplayed = isReplayed;
    return body;
  });
}

export function customerAt(index: number): string {
  return customers[index % customers.length] ?? customers[0];
}

/** The last state of every endpoint that ever existed, the oldest first. */
export function allEndpoints({ table }: World): readonly Endpoint[] {
  const histories = customers.flatMap((customerId) => [...table.holdingsOf(customerId).live.values()]);
  return histories
    .flatMap(({ all }) => all.findLast(({ value }) => value !== null)?.value ?? [])
    .sort((one, other) => one.createdAt - other.createdAt);
}

export function allDeliveries(world: World): readonly Delivery[] {
  return [...world.table.deliveries].map(({ delivery }) => delivery);
}

export function begin(world: World, customerId: string, stranger = false): Begun {
  const unanswered = { answeredAt: null, outcome: null, isReplayed: false };
  return { startedAt: world.timeline.now, customerId, stranger, key: null, ...unanswered };
}

/** Counted from the newest, because races concern new things. */
export function picked<T>(things: readonly T[], pick: number): T | undefined {
  return things[things.length - 1 - (pick % things.length)];
}

function strangerTo(customerId: string): string {
  return customers.find((other) => other !== customerId) ?? customers[0];
}
