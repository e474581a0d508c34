import { describe, expect, it } from 'vitest';
import { toEndpointItem } from '#shared/aws/table/endpoint-item.ts';
import {
  listLiveEndpoints,
  noteLastDelivery,
  raisePartitions,
  readLiveEndpoint,
  replaceSecret,
} from '#shared/aws/table/endpoints.ts';
import { liveEndpointKey, slotsKey, tombstoneKey } from '#shared/aws/table/keys.ts';
import { digest } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { makeId } from '#shared/domain/ids.ts';
import { rotationOverlap } from '#shared/domain/signing-secret.ts';
import { useTable } from '../support/aws/table.ts';
import {
  buildEndpoint,
  customerId,
  sealedSecret,
  startOfTest,
  webhookId,
} from '../support/values/builders.ts';
import { secretNamed } from '../support/values/secret-named.ts';

const { current } = useTable();

async function store(endpoint: Endpoint): Promise<Endpoint> {
  await put({ ...liveEndpointKey(endpoint.customerId, endpoint.id), ...toEndpointItem(endpoint) });
  return endpoint;
}

async function put(item: Record<string, unknown>): Promise<void> {
  await current().client.put({ TableName: current().name, Item: item });
}

const read = () => readLiveEndpoint(current())(customerId, webhookId);

const rotate = (secret: string, now = startOfTest) =>
  replaceSecret(current())({
    customerId,
    webhookId,
    secret,
    secretPrefix: 'whsec_BBBBBB',
    at: now,
    overlapEnd: now + rotationOverlap,
  });

describe('replaceSecret()', () => {
  it('keeps the old secret for the overlap', async () => {
    const endpoint = await store(buildEndpoint());

    const rotated = await rotate('sealed-next');

    const expected = {
      ...endpoint,
      secret: 'sealed-next',
      secretPrefix: 'whsec_BBBBBB',
      previousSecret: endpoint.secret,
      previousSecretExpiresAt: startOfTest + rotationOverlap,
    };
    expect(rotated).toEqual({ rotated: true, endpoint: expected });
    expect(await read()).toEqual(expected);
  });

  it('is won by one of ten rotations at once; the others see the overlap that is open', async () => {
    await store(buildEndpoint());

    const results = await Promise.all(Array.from({ length: 10 }, (_, index) => rotate(`sealed-${index}`)));

    const [winner, ...others] = results.filter(({ rotated }) => rotated);
    expect(others).toEqual([]);
    expect(await read()).toEqual(winner?.endpoint);
    expect(winner?.endpoint?.previousSecret).toBe(sealedSecret(secretNamed('current')));
    const refused = results.filter(({ rotated }) => !rotated);
    expect(refused).toEqual(refused.map(() => ({ rotated: false, endpoint: winner?.endpoint })));
  });

  it('succeeds again when its own write is repeated, and rotates once', async () => {
    await store(buildEndpoint());
    const first = await rotate('sealed-next');

    expect(await rotate('sealed-next')).toEqual(first);

    expect((await read())?.previousSecret).toBe(sealedSecret(secretNamed('current')));
  });

  it('is refused until the instant the overlap ends', async () => {
    await store(buildEndpoint());
    await rotate('sealed-next');

    expect(await rotate('sealed-third', startOfTest + rotationOverlap - 1)).toMatchObject({ rotated: false });
    expect(await rotate('sealed-third', startOfTest + rotationOverlap)).toMatchObject({
      rotated: true,
      endpoint: { secret: 'sealed-third', previousSecret: 'sealed-next' },
    });
  });

  it('is refused for an endpoint that failed its handshake, and for one that is not there', async () => {
    const endpoint = await store(buildEndpoint({ status: 'failed' }));

    expect(await rotate('sealed-next')).toEqual({ rotated: false, endpoint });
    expect(
      await replaceSecret(current())({
        customerId: 'cus_another',
        webhookId,
        secret: 'sealed-next',
        secretPrefix: 'whsec_BBBBBB',
        at: startOfTest,
        overlapEnd: startOfTest + 1,
      }),
    ).toEqual({ rotated: false, endpoint: null });
  });
});

describe('noteLastDelivery()', () => {
  it('only ever moves the time of the last attempt forward', async () => {
    const endpoint = await store(buildEndpoint());

    await noteLastDelivery(current())(endpoint, startOfTest + 5000);
    await noteLastDelivery(current())(endpoint, startOfTest + 3000);

    expect((await read())?.lastDeliveryAt).toBe(startOfTest + 5000);
  });

  it('does not bring a deleted endpoint back', async () => {
    await noteLastDelivery(current())(buildEndpoint(), startOfTest + 5000);

    expect(await read()).toBeNull();
  });
});

describe('listLiveEndpoints()', () => {
  it('lists a customer’s live endpoints newest first, and nothing else that is the customer’s', async () => {
    const ids = [0, 1, 2].map((number) => makeId('webhook', startOfTest + number, digest(String(number))));
    const [first, second, third] = ids.map((id, number) =>
      buildEndpoint({ id, createdAt: startOfTest + number }),
    );
    if (first === undefined || second === undefined || third === undefined)
      throw new Error('Three were made');
    await Promise.all([second, first, third].map(store));
    await store(buildEndpoint({ customerId: 'cus_another' }));
    await put({ ...slotsKey(customerId), webhooks: new Set(ids) });
    await put({
      ...tombstoneKey(customerId, webhookId),
      ...toEndpointItem(buildEndpoint()),
      status: 'deleted',
    });

    expect(await listLiveEndpoints(current())(customerId)).toEqual([third, second, first]);
  });
});

describe('raisePartitions()', () => {
  const raise = (partitions: number, id = webhookId) =>
    raisePartitions(current())(customerId, id, partitions);

  it('only ever raises the number', async () => {
    const endpoint = await store(buildEndpoint());

    const raised = await raise(8);
    const lowered = await raise(2);

    expect(raised).toEqual({ ...endpoint, deliveryPartitions: 8 });
    expect(lowered).toEqual(raised);
    expect(await read()).toEqual(raised);
  });

  it('refuses an endpoint that was deleted or never existed', async () => {
    expect(await raise(8, 'whe_none')).toBeNull();
  });
});
