import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventUnits } from '../../../bench/model/assumptions.ts';
import { scalingTables } from '../../../bench/model/scaling-tables.ts';
import { cloudwatch, dynamodb, kms } from '../../../bench/prices.ts';

const root = join(import.meta.dirname, '../../..');
const path = join(root, 'docs/scaling.md');

const marker = /<!-- table: ([^>]+) -->\n[\s\S]*?<!-- end of table -->/g;

const tables = scalingTables();

describe('docs/scaling.md', () => {
  it('docs/scaling.md has the tables that the cost model and the list prices give', async () => {
    const page = readFileSync(path, 'utf8');

    const expected = page.replaceAll(
      marker,
      (_whole, name: string) => `<!-- table: ${name} -->\n\n${tables[name]}\n\n<!-- end of table -->`,
    );

    await expect(expected, 'Run `npm run record`, then review docs/scaling.md').toMatchFileSnapshot(path);
  });

  it('docs/scaling.md has a place for each table of the model', () => {
    const named = [...readFileSync(path, 'utf8').matchAll(marker)].map(([, name]) => name);

    expect(named.toSorted()).toEqual(Object.keys(tables).toSorted());
  });

  it('docs/scaling.md names list prices as the model has them', () => {
    const page = readFileSync(path, 'utf8').replaceAll(/\s+/g, ' ');
    const perMillion = (usd: number) => `$${Number((usd * 1e6).toPrecision(6))}`;

    expect(page).toContain(
      `A write unit costs ${perMillion(dynamodb.onDemand.writeUnit)} for a million on demand`,
    );
    expect(page).toContain(`and $${dynamodb.provisioned.writeUnitHour} an hour provisioned`);
    expect(page).toContain(`once for each secret, ${perMillion(kms.request)} for a million requests`);
    expect(page).toContain(`$${(cloudwatch.logByte * 1e9).toFixed(2)} for a GB`);
  });

  it('docs/operating.md names what the metrics of a stage cost at most', () => {
    const operating = readFileSync(join(root, 'docs/operating.md'), 'utf8').replaceAll(/\s+/g, ' ');
    const [most] = /\$[\d.]+(?=\*\* \|$)/.exec(tables['custom metrics'] ?? '') ?? [];

    expect(operating).toContain(`[at most ${most} a month](scaling.md#metrics)`);
  });

  it('the model counts the units that are recorded for an event, but for the note of its last attempt', () => {
    const recorded = readFileSync(join(root, 'test/budgets/recorded/events.md'), 'utf8');
    const section = recorded.split('\n## ').find((text) => text.startsWith('Next event, after 10 s')) ?? '';
    const rows = section
      .split('\n')
      .filter((line) => /^\| (queue|schedule)\//.test(line) && !line.includes('note last attempt'))
      .map((line) => line.split('|').map((cell) => cell.trim()));
    const sum = (column: number) => rows.reduce((total, cells) => total + Number(cells[column]), 0);

    expect({ writes: sum(3), ofIndexes: sum(4), reads: sum(5) }).toEqual({
      writes: eventUnits.tableWrites + eventUnits.listedWrites,
      ofIndexes: eventUnits.listedWrites,
      reads: eventUnits.readsPerEvent + eventUnits.readsPerDeliveryBatch,
    });
  });
});
