import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { fromConnectionItem } from '#shared/aws/table/credentials/connection-item.ts';
import { fromApiKeyItem, fromCustomerItem } from '#shared/aws/table/credentials/customer-item.ts';
import { fromPortalLinkItem } from '#shared/aws/table/credentials/portal-link-item.ts';
import { fromDeliveryItem } from '#shared/aws/table/deliveries/delivery-item.ts';
import { fromEndpointItem } from '#shared/aws/table/endpoints/endpoint-item.ts';
import { fromChangeReportItem } from '#shared/aws/table/results/change-report-item.ts';
import { fromRunItem } from '#shared/aws/table/results/run-item.ts';
import { fromTrackerItem } from '#shared/aws/table/results/tracker-item.ts';
import { fromCreatorVideoItem, fromRunItemRow } from '#shared/aws/table/results/video-item.ts';
import { readAll, reads, storedJson, UnreadableRow } from '#shared/aws/table/stored-row.ts';
import { presentDeliveryWithLog } from '#shared/contract/records/delivery.ts';
import { presentPortalLink } from '#shared/contract/records/portal-link.ts';
import { presentRun } from '#shared/contract/records/run.ts';
import { presentChangeReport, presentTracker } from '#shared/contract/records/tracker.ts';
import { presentWebhook } from '#shared/contract/records/webhook.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import { createReports } from '../../support/operations/deps.ts';
import { startOfTest } from '../../support/values/builders.ts';
import { rowsOf } from '../../support/values/stored-rows.ts';

const baseUrl = 'https://api.example.com';

/** Records without a document of their own, whose times can be written. */
function timed<T extends { readonly createdAt: number }>(record: T): T {
  timestamp(record.createdAt);
  return record;
}

/** Turns the row of each kind into what is shown of it: mostly a document of the API. */
const shows: Readonly<Record<string, (row: unknown) => unknown>> = {
  runs: (row) => presentRun(fromRunItem(row), { baseUrl, docsUrl: baseUrl }),
  'run-items': fromRunItemRow,
  'creator-videos': fromCreatorVideoItem,
  trackers: (row) => presentTracker(fromTrackerItem(row), baseUrl),
  'change-reports': (row) => presentChangeReport(fromChangeReportItem(row), 'trk_1', baseUrl),
  endpoints: (row) => presentWebhook(fromEndpointItem(row), startOfTest),
  deliveries: (row) => presentDeliveryWithLog(fromDeliveryItem(row)),
  customers: (row) => timed(fromCustomerItem(row)),
  'api-keys': (row) => timed(fromApiKeyItem(row)),
  'portal-links': (row) => {
    const link = fromPortalLinkItem(row);
    presentPortalLink(link);
    return link;
  },
  connections: (row) => timed(fromConnectionItem(row)),
};

/** An attribute value: of any type, or JSON text. */
const anything = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    '',
    'x',
    '\ud800',
    0,
    -1,
    1.5,
    9e15,
    -9e15,
    2 ** 53,
    true,
    '{}',
    '[]',
    '{"id":1}',
    '2026-01-01T00:00:00Z#run_1',
  ),
  fc.anything({ withNullPrototype: false }),
);

function spoil(attribute: unknown, member: string, value: unknown): unknown {
  try {
    const document: unknown = JSON.parse(z.string().parse(attribute));
    return JSON.stringify({ ...z.record(z.string(), z.unknown()).parse(document), [member]: value });
  } catch {
    return value;
  }
}

describe('reading rows of every kind', () => {
  it.each(Object.entries(shows))('returns a valid record, or an error that names the row: %s', (kind, show) => {
    const cases = rowsOf(kind).filter(({ shown }) => shown !== null);

    fc.assert(
      fc.property(
        fc.constantFrom(...cases),
        fc.nat(20),
        fc.nat(20),
        anything,
        fc.boolean(),
        (given, index, member, value, inside) => {
          const names = Object.keys(given.row);
          const name = names[index % names.length] ?? 'pk';
          const members = Object.keys(given.shown ?? {});
          const spoiled = inside ? spoil(given.row[name], members[member % members.length] ?? 'id', value) : value;
          try {
            JSON.stringify(show({ ...given.row, [name]: spoiled }));
          } catch (error) {
            expect(error).toBeInstanceOf(UnreadableRow);
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it.each(Object.entries(shows))('reads the rows that other releases wrote: %s', (kind, show) => {
    for (const { says, row, shown } of rowsOf(kind)) {
      const { pk, sk } = row;
      if (shown === null) {
        const named = expect.objectContaining({ name: 'UnreadableRow', key: { pk, sk } });
        expect(() => show(row), says).toThrow(named);
        expect(() => show(row), says).not.toThrow('secret');
      } else expect(show(row), says).toMatchObject(shown);
    }
  });
});

describe('readAll()', () => {
  const read = reads('Thing', z.object({ text: z.pipe(storedJson, z.number()) }), ({ text }) => text);
  const row = (text: unknown) => ({ pk: 'P', sk: String(text).length.toString(), text });

  it('leaves out unreadable rows, and reports their keys and faults without their contents', () => {
    const { report, events } = createReports();

    const numbers = readAll({ report }, [row('1'), row('swordfish'), row(5), null, row('"swordfish"'), row('2')], read);

    expect(numbers).toEqual([1, 2]);
    const unreadable = (sk: string, fault: unknown) => ({
      name: 'row.unreadable',
      kind: 'Thing',
      key: { pk: sk === '?' ? '?' : 'P', sk },
      fault,
    });
    expect(events).toEqual([
      unreadable('9', 'text: must be JSON'),
      unreadable('1', expect.stringMatching(/^text: /)),
      unreadable('?', expect.stringMatching(/^row: /)),
      unreadable('11', expect.stringMatching(/^text: /)),
    ]);
    expect(JSON.stringify(events)).not.toContain('swordfish');
  });

  it('throws every other failure', () => {
    const { report } = createReports();
    const broken = () => {
      throw new TypeError('a programming mistake');
    };

    expect(() => readAll({ report }, [row('1')], broken)).toThrow('a programming mistake');
  });
});
