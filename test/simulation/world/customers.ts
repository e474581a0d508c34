import type { Delivery } from '../../../shared/domain/delivery.ts';
import type { Endpoint } from '../../../shared/domain/endpoint.ts';
import { makeId } from '../../../shared/domain/ids.ts';
import { makeSigningSecret, secretPrefix } from '../../../shared/domain/signing-secret.ts';
import { sealed } from '../memory/secret-box.ts';
import { functions } from './functions.ts';
import type { ApiCall } from './journal.ts';
import type { Action } from './script.ts';
import type { World } from './world.ts';

/** Two customers, so that there is somebody to be a stranger. */
export const customers = ['cus_A', 'cus_B'] as const;

type Act<D extends Action['do']> = Extract<Action, { do: D }>;

/** Active endpoints that were registered before the run began. */
export function giveEndpoints(world: World, customerId: string, count: number): void {
  const { table, random, receivers } = world;
  for (let number = 0; number < count; number += 1) {
    const now = world.timeline.now - 1000 + number;
    const secret = makeSigningSecret(random.bytes(32));
    const id = makeId('webhook', now, random.bytes(10));
    table.holdingsOf(customerId).slots.add(id);
    table.putLiveEndpoint({
      id,
      customerId,
      url: receivers.newUrl(),
      description: '',
      status: 'active',
      secret: sealed(secret, { customerId, webhookId: id }),
      secretPrefix: secretPrefix(secret),
      previousSecret: null,
      previousSecretExpiresAt: null,
      createdAt: now,
      activatedAt: now,
      lastDeliveryAt: now,
      deliveryPartitions: 1 + random.below(3),
    });
  }
}

export function register(world: World, { customer, times }: Act<'register'>): void {
  for (let time = 0; time < times; time += 1) {
    const customerId = customers[customer % customers.length] ?? customers[0];
    const url = world.receivers.newUrl();
    const call: ApiCall = { ...begin(world, customerId), do: 'register', url, outcome: null };
    world.journal.calls.push(call);
    world.invoke(
      'register',
      (ports) => functions.register(ports)(customerId, { url, description: '' }),
      (outcome) => answer(world, call, () => Object.assign(call, { outcome })),
    );
  }
}

export function remove(world: World, { pick, times, stranger }: Act<'delete' | 'rotate'>): void {
  const endpoint = picked(allEndpoints(world), pick);
  for (let time = 0; endpoint !== undefined && time < times; time += 1) {
    const customerId = stranger ? strangerTo(endpoint.customerId) : endpoint.customerId;
    const head = begin(world, customerId, stranger);
    const call: ApiCall = { ...head, do: 'delete', webhookId: endpoint.id, outcome: null };
    world.journal.calls.push(call);
    world.invoke(
      'delete',
      (ports) => functions.delete(ports)(customerId, endpoint.id),
      (outcome) => answer(world, call, () => Object.assign(call, { outcome })),
    );
  }
}

export function rotate(world: World, { pick, times, stranger }: Act<'delete' | 'rotate'>): void {
  const endpoint = picked(allEndpoints(world), pick);
  for (let time = 0; endpoint !== undefined && time < times; time += 1) {
    const customerId = stranger ? strangerTo(endpoint.customerId) : endpoint.customerId;
    const head = begin(world, customerId, stranger);
    const call: ApiCall = { ...head, do: 'rotate', webhookId: endpoint.id, outcome: null };
    world.journal.calls.push(call);
    world.invoke(
      'rotate',
      (ports) => functions.rotate(ports)(customerId, endpoint.id),
      (outcome) => answer(world, call, () => Object.assign(call, { outcome })),
    );
  }
}

export function replay(world: World, { pick, times, stranger }: Act<'replay'>): void {
  const delivery = picked(allDeliveries(world), pick);
  for (let time = 0; delivery !== undefined && time < times; time += 1) {
    const customerId = stranger ? strangerTo(delivery.customerId) : delivery.customerId;
    const source = { customerId, webhookId: delivery.webhookId, id: delivery.id };
    const call: ApiCall = { ...begin(world, customerId, stranger), do: 'replay', source, outcome: null };
    world.journal.calls.push(call);
    world.invoke(
      'replay',
      (ports) => functions.replay(ports)(source),
      (outcome) => answer(world, call, () => Object.assign(call, { outcome })),
    );
  }
}

/** Every endpoint that there ever was. */
export function allEndpoints(world: World): readonly Endpoint[] {
  return world.table.customers.flatMap((customerId) =>
    [...world.table.holdingsOf(customerId).live.values()].flatMap(
      ({ all }) => all.findLast(({ value }) => value !== null)?.value ?? [],
    ),
  );
}

export function allDeliveries(world: World): readonly Delivery[] {
  return [...world.table.deliveries].map(({ delivery }) => delivery);
}

function begin(world: World, customerId: string, stranger = false) {
  return { startedAt: world.timeline.now, customerId, stranger, answeredAt: null };
}

function answer(world: World, call: ApiCall, assign: () => void): void {
  assign();
  call.answeredAt = world.timeline.now;
}

function picked<T>(things: readonly T[], pick: number): T | undefined {
  return things[pick % things.length];
}

function strangerTo(customerId: string): string {
  return customers.find((other) => other !== customerId) ?? customers[0];
}
