import { randomBytes } from 'node:crypto';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { deliveryMessage, toDeliveryMessage } from '#shared/contract/messages/delivery-message.ts';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { emittableTypes, exampleMessage } from '../../../tools/operator/emit/example-messages.ts';
import { noHistory } from '../../support/releases/history.ts';
import { itemKinds } from '../../support/releases/item-kinds.ts';
import { buildLastReaders, type LastReaders } from '../../support/releases/last-readers.ts';
import {
  howToRecord,
  lastRelease,
  readerIn,
  recordedVersions,
  releasedRows,
  unnamedAttributes,
} from '../../support/releases/released-rows.ts';

/** The readers of this version and of the last release have the same names. */
const tableFolder = join(import.meta.dirname, '../../../shared/aws/table');
const itemFiles = globSync('*/*-item.ts', { cwd: tableFolder });
const modules: object[] = await Promise.all(itemFiles.map((file) => import(join(tableFolder, file))));
const todaysReaders: object = Object.assign({}, ...modules);

type Row = Readonly<Record<string, unknown>>;

/**
 * The readers of each kind, by their names; a condition says which rows of the kind they read. A kind without readers is
 * only counted, compared in conditions, or read by its key.
 */
const readers: Readonly<Record<string, readonly (readonly [string, ((row: Row) => boolean)?])[]>> = {
  Customer: [['fromCustomerItem']],
  'Customer list': [['fromCustomerItem']],
  'Customer reference': [['fromReferenceItem']],
  'API key': [['fromApiKeyItem']],
  'API key list': [['fromApiKeyItem']],
  'Portal link': [['fromPortalLinkItem']],
  'Portal link list': [['fromPortalLinkItem']],
  Connection: [['fromConnectionItem']],
  Endpoint: [['fromEndpointItem'], ['fromListenerItem'], ['fromHistoryItem']],
  Tombstone: [['fromEndpointItem'], ['fromHistoryItem']],
  'Earlier tombstone': [['fromEndpointItem'], ['fromHistoryItem']],
  Delivery: [['fromDeliveryItem']],
  'Event replay': [['fromEventReplayItem']],
  'Bulk replay': [['fromBulkReplayItem']],
  Tally: [['fromTallyItem']],
  Run: [['fromRunItem'], ['fromSettledItem', (row) => 'settled' in row], ['fromToldItem', (row) => 'fan_out' in row]],
  'Run item': [['fromRunItemRow']],
  Tracker: [['fromTrackerItem']],
  'Change Report': [['fromChangeReportItem'], ['fromToldReportItem']],
  'Change Report place': [['fromReportPlaceItem']],
  'Creator video': [['fromCreatorVideoItem']],
  Activity: [['fromActivityItem']],
  Request: [['fromRequestItem']],
  'Connection list': [],
  'Rate window': [],
  Slots: [],
  Deletion: [],
  'Run item version': [],
  Creator: [],
  'Cursor secret': [],
  'Running replay': [],
};

/** What a set of readers makes of a version's rows: the faults. */
function faultsOf(module: object, version: string, known: ReadonlySet<string>) {
  return releasedRows(version).flatMap(({ kind, row }) => {
    if (kind === null || !known.has(kind.name)) return [];
    return (readers[kind.name] ?? []).flatMap(([name, reads = () => true]) => {
      try {
        if (reads(row)) readerIn(module, name)(row);
        return [];
      } catch (error) {
        return [`${kind.name}: ${String(error)}`];
      }
    });
  });
}

const kindsOf = (version: string) =>
  new Set(releasedRows(version).flatMap(({ kind }) => (kind === null ? [] : [kind.name])));

describe('the recorded rows', () => {
  it('a kind that only earlier releases write is among their rows', () => {
    const earlier = itemKinds().filter(({ writtenBy }) => writtenBy === 'earlier releases');
    const recorded = recordedVersions.flatMap((version) => [...kindsOf(version)]);

    expect(recorded).toEqual(expect.arrayContaining(earlier.map(({ name }) => name)));
  });

  it('the rows of this version have every kind and attribute in docs/table.md, but what only earlier releases write', () => {
    const rows = releasedRows('unreleased');

    const missing = itemKinds()
      .filter(({ writtenBy }) => writtenBy !== 'earlier releases')
      .flatMap(({ name, own }) => {
        const ofKind = rows.filter(({ kind }) => kind?.name === name);
        return ['pk', ...own]
          .filter((attribute) => !ofKind.some(({ row }) => attribute in row))
          .map((attribute) => `${name}: ${attribute}`);
      });

    expect(missing, howToRecord).toEqual([]);
  });

  it('docs/table.md names the kind and every attribute of every recorded row', () => {
    expect(recordedVersions.flatMap((version) => unnamedAttributes(releasedRows(version)))).toEqual([]);
  });

  it('every kind has a reader here, or is known to need none', () => {
    const kinds = itemKinds().map(({ name }) => name);

    expect(Object.keys(readers).toSorted()).toEqual(kinds.toSorted());
  });
});

describe('an update', () => {
  it.each(recordedVersions)('this version reads every row that %s wrote', (version) => {
    expect(faultsOf(todaysReaders, version, kindsOf(version))).toEqual([]);
  });
});

describe(`a rollback to ${lastRelease}`, () => {
  it('an index holds only kinds that the last release expects there', () => {
    const inIndex = (version: string, partitionKey: string) =>
      new Set(releasedRows(version).flatMap(({ kind, row }) => (partitionKey in row ? [kind?.name] : [])));

    for (const { partitionKey } of Object.values(tableSchema.indexes)) {
      const expected = inIndex(lastRelease, partitionKey);
      const added = [...inIndex('unreleased', partitionKey)].filter((name) => !expected.has(name));
      expect(added, `The last release would read these rows as ${[...expected]}`).toEqual([]);
    }
  });

  it('a new kind of row has keys that the last release never queries', () => {
    const known = kindsOf(lastRelease);
    const partitionsOf = (names: ReadonlySet<string>) =>
      new Set(
        releasedRows('unreleased').flatMap(({ kind, row }) =>
          kind !== null && names.has(kind.name) ? [`${row.pk.split('#')[0]} ${row.sk.split('#')[0]}`] : [],
        ),
      );
    const added = new Set([...kindsOf('unreleased')].filter((name) => !known.has(name)));

    const shared = [...partitionsOf(added)].filter((keys) => partitionsOf(known).has(keys));

    expect(shared, 'Give the new kind another prefix: the last release lists rows by these').toEqual([]);
  });

  describe.skipIf(noHistory !== null)(`to its code${noHistory === null ? '' : ` (${noHistory})`}`, () => {
    let lastReaders: LastReaders;
    beforeAll(async () => {
      lastReaders = await buildLastReaders();
    });

    it('the last release reads every row that this version writes, of each kind that it knows', () => {
      const faults = faultsOf(lastReaders, 'unreleased', kindsOf(lastRelease));

      expect(
        faults,
        `A stage that is rolled back to ${lastRelease} could not read these rows. Write them so that it can: a new ` +
          'attribute may be added, but an old one keeps its name, type and values',
      ).toEqual([]);
    });

    it('the last release and this version read the delivery messages that the other leaves on the queue', () => {
      const due = { key: { customerId: 'cus_1', webhookId: 'whe_1', id: 'whd_1' }, attempt: 3 };
      const ours = toDeliveryMessage(due);
      const theirs = lastReaders.toDeliveryMessage?.(due) ?? ours;

      expect(lastReaders.deliveryMessage.parse(ours)).toEqual(ours);
      expect(deliveryMessage.parse(theirs)).toEqual(ours);
    });

    it.each(emittableTypes)('the last release reads the intake message %s as this version does', (type) => {
      const message = exampleMessage(type, { customer: 'cus_1' }, 1_795_167_000_000, randomBytes);

      expect(lastReaders.intakeMessage.parse(message)).toEqual(intakeMessage.parse(message));
    });
  });
});
