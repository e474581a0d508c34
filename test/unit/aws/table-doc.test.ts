import { expect, it } from 'vitest';
import * as keys from '#shared/aws/table/keys.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { deliveryId, digest, maxDeliveryPartitions } from '#shared/domain/derived-id.ts';
import { rowsWith } from '../../architecture/test-titles.ts';
import { tablePage } from '../../support/releases/item-kinds.ts';

/** Code spans without their backticks. */
const documentedUnder = (header: string) =>
  rowsWith(tablePage, header).map((cells) => cells.map((cell) => cell.replaceAll('`', '')));

const creator = { platform: '{platform}', handle: '{handle}' };
const id = deliveryId(0, digest('delivery'), 1);
const delivery = keys.deliveryKey({ customerId: '{customer}', webhookId: '{endpoint}', id });
const deletion = keys.deletionKey('{customer}', 0, '{endpoint}');
const video = '{video}#{platform}';

const made: Readonly<Record<string, { readonly pk: string; readonly sk: string }>> = {
  Customer: keys.customerKey('{customer}'),
  'Customer list': keys.customerListKey('{customer}'),
  'Customer reference': keys.customerReferenceKey('{reference}'),
  'API key': keys.apiKeyKey('{hash}'),
  'API key list': keys.apiKeyListKey('{customer}', '{key}'),
  'Portal link': keys.portalLinkKey('{hash}'),
  'Portal link list': keys.portalLinkListKey('{customer}', '{link}'),
  Connection: keys.connectionKey('{connection}'),
  'Connection list': keys.connectionListKey('{customer}', '{connection}'),
  'Rate window': keys.rateWindowKey('{credential}'),
  Slots: keys.slotsKey('{customer}'),
  Endpoint: keys.liveEndpointKey('{customer}', '{endpoint}'),
  Tombstone: keys.tombstoneKey('{customer}', '{endpoint}'),
  Deletion: {
    ...deletion,
    sk: deletion.sk.replace(keys.waitingTime(0), '{deleted_at}'),
  },
  'Earlier tombstone': keys.earlierTombstoneKey('{customer}', '{endpoint}'),
  Delivery: { pk: delivery.pk.replace(/0$/, '{partition}'), sk: delivery.sk.replace(id, '{delivery}') },
  'Event replay': keys.eventReplayKey(
    { customerId: '{customer}', webhookId: '{endpoint}', id: '{delivery}' },
    '{event}',
  ),
  'Bulk replay': keys.bulkReplayKey({ customerId: '{customer}', webhookId: '{endpoint}', id: '{replay}' }),
  'Running replay': keys.runningReplayKey('{customer}', '{endpoint}'),
  Tally: keys.tallyKey('{customer}', '{endpoint}', '{tally}'),
  Activity: keys.activityKey({ customerId: '{customer}', webhookId: '{endpoint}', id: '{activity}' }),
  Request: keys.requestRowKey({ customerId: '{customer}', digest: '{key}' }),
  Run: keys.runKey('{customer}', '{run}'),
  'Run item': keys.runItemKey('{customer}', '{run}', `{posted_at}#${video}`),
  'Run item version': keys.runItemVersionKey('{customer}', '{run}', video),
  Tracker: keys.trackerKey('{customer}', '{tracker}'),
  'Change Report': keys.changeReportKey('{customer}', '{tracker}', {
    id: '{report}',
    created_at: '{created_at}',
  }),
  'Change Report place': keys.changeReportPlaceKey('{customer}', '{report}'),
  Creator: keys.creatorKey('{customer}', creator),
  'Creator video': keys.creatorVideoKey('{customer}', creator, video),
  'Cursor secret': keys.cursorSecretKey,
};

it('docs/table.md shows the key of every kind of item as the code makes it', () => {
  const documented = documentedUnder('Item').map(([name = '', pk, sk]) => [name, { pk, sk }]);

  expect(Object.fromEntries(documented)).toEqual(made);
});

it('docs/table.md shows every kind of item', () => {
  const makers = Object.keys(keys).filter((name) => name.endsWith('Key'));

  expect(Object.keys(made)).toHaveLength(makers.length);
});

it('docs/table.md shows the keys of both indexes', () => {
  const { waiting, listed } = tableSchema.indexes;
  const wake = keys.waitingAttributes({ customerId: '', webhookId: '', id }, 0);

  const documented = documentedUnder('Index').map((cells) => cells.slice(0, 3));

  expect(documented).toEqual([
    [
      waiting.name,
      `${waiting.partitionKey} = ${String(wake[waiting.partitionKey]).replace(/\d+$/, '{shard}')}`,
      `${waiting.sortKey} = ${String(wake[waiting.sortKey]).replace(/^\d+/, '{wake_at}').replace(id, '{delivery}')}`,
    ],
    [
      listed.name,
      `${listed.partitionKey} = ${keys.runsPartition('{customer}', 0).replace(/0$/, '{partition}')} or ${keys.creatorPartition('{customer}', creator)}`,
      `${listed.sortKey} = {created_at}#{run} or {posted_at}#${video}`,
    ],
  ]);
});

it('docs/table.md states the numbers that the code uses', () => {
  expect(tablePage).toContain(`${keys.waitingShards} shards`);
  expect(tablePage).toContain(`the time has ${keys.waitingTime(0).length} digits`);
  expect(tablePage).toContain(`from 1 to ${maxDeliveryPartitions}`);
});
