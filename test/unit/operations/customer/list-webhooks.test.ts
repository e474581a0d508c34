import { describe, expect, it } from 'vitest';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { makeId } from '#shared/domain/ids.ts';
import { listWebhooks } from '#shared/operations/customer/list-webhooks.ts';
import { memoryStore } from '../../../support/memory/memory-store.ts';
import { cursors, foreignCursor } from '../../../support/operations/cursors.ts';
import { buildEndpoint, customerId, startOfTest } from '../../../support/values/builders.ts';

const ids = [4, 3, 2, 1].map((age) => makeId('webhook', startOfTest - age, new Uint8Array(10)));
const [oldest = '', second = '', third = '', newest = ''] = ids;

function createWorld(...endpoints: Endpoint[]) {
  const { ports, endpoints: stored } = memoryStore({ endpoints });
  const list = listWebhooks({ ...ports, cursors });
  return {
    stored,
    list: (limit: number, cursor?: string | null, of = customerId) =>
      list(of, { limit, cursor: cursor ?? undefined }),
  };
}

const four = ids.map((id) => buildEndpoint({ id }));

describe('listWebhooks()', () => {
  it('returns one page after the other, and no cursor after a full last page', async () => {
    const world = createWorld(...four);

    const first = await world.list(2);
    const last = await world.list(2, first.nextCursor);

    expect(first.rows.map(({ id }) => id)).toEqual([newest, third]);
    expect(last.rows.map(({ id }) => id)).toEqual([second, oldest]);
    expect(last.nextCursor).toBeNull();
  });

  it('continues after a row that was deleted between pages, and shows no newer row', async () => {
    const world = createWorld(...four);

    const first = await world.list(2);
    world.stored.put(buildEndpoint({ id: third, status: 'deleted' }));
    world.stored.put(buildEndpoint({ id: makeId('webhook', startOfTest, new Uint8Array(10)) }));
    const rest = await world.list(3, first.nextCursor);

    expect(rest.rows.map(({ id }) => id)).toEqual([second, oldest]);
  });

  it('refuses a cursor of another customer', async () => {
    const world = createWorld(...four);
    const { nextCursor } = await world.list(1);

    await expect(world.list(1, nextCursor, 'cus_other')).rejects.toMatchObject(foreignCursor);
  });
});
