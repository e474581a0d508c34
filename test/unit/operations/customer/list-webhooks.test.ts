import { expect, it } from 'vitest';
import { makeId } from '#shared/domain/ids.ts';
import { listWebhooks } from '#shared/operations/customer/read-webhooks.ts';
import { cursors } from '../../../support/operations/cursors.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import { buildEndpoint, customerId, startOfTest } from '../../../support/values/builders.ts';

// tools/conformance/checks/paging.ts walks the list.
it('listWebhooks() continues after a row that was deleted between pages, and shows no newer row', async () => {
  const idOf = (age: number) => makeId('webhook', startOfTest - age, new Uint8Array(10));
  const [newest, second, third, oldest] = [1, 2, 3, 4].map(idOf);
  const { ports, endpoints } = recordStore({
    endpoints: [1, 2, 3, 4].map((age) => buildEndpoint({ id: idOf(age) })),
  });
  const list = listWebhooks({ ...ports, cursors });

  const first = await list(customerId, { limit: 2 });
  endpoints.put(buildEndpoint({ id: idOf(2), status: 'deleted' }));
  endpoints.put(buildEndpoint({ id: idOf(0) }));
  const rest = await list(customerId, { limit: 2, cursor: first.nextCursor ?? '' });

  expect([first, rest].map(({ rows }) => rows.map(({ id }) => id))).toEqual([
    [newest, second],
    [third, oldest],
  ]);
  expect(rest.nextCursor).toBeNull();
});
