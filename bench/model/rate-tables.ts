import { kms } from '../prices.ts';
import { secretCache } from './assumptions.ts';
import { deployed } from './deployed.ts';
import { decryptsPerEvent, type EventBill, eventBill, tableLoad, totalOf } from './event-bill.ts';
import { instancesFor, instancesMonth, lambdaMonth } from './managed-instances.ts';
import { grouped, markdownTable, percent, perMillion, usd } from './markdown-table.ts';
import { breakEvenRate, breakEvenUtilization, onDemandMonth, provisionedMonth } from './table-capacity.ts';

const secondsPerMonth = 730 * 3_600;

/** Events a second, with the endpoints that receive them. */
export const rates = [
  { rate: 10, endpoints: 10 },
  { rate: 1_000, endpoints: 1_000 },
  { rate: 100_000, endpoints: 10_000 },
] as const;

export function rateTables(): Readonly<Record<string, string>> {
  return {
    'event bill': eventBillTable(),
    'monthly bill': monthlyTable(),
    'capacity modes': capacityTable(),
    utilization: utilizationTable(),
    'managed instances': instancesTable(),
    'secret cache': cacheTable(),
  };
}

const billLines: Readonly<Record<keyof EventBill, string>> = {
  writes: 'DynamoDB, 5 write units',
  reads: 'DynamoDB, 1.1 to 2 read units',
  sqs: 'SQS, 0.5 to 5 requests',
  intake: 'Intake function',
  deliver: 'Delivery function',
  kms: 'KMS, 1,000 endpoints',
  logs: 'Log lines, with their metrics',
  egress: 'Egress',
  storage: 'Storage, a month',
};

function eventBillTable(): string {
  const bills = [1, 5, 10].map((batch) => eventBill({ rate: 100, batch, endpoints: 1_000 }));
  const rows = keysOf(billLines).map((line) => [
    billLines[line],
    ...bills.map((bill) => perMillion(bill[line])),
  ]);
  const total = ['**Together**', ...bills.map((bill) => `**${perMillion(totalOf(bill))}**`)];
  return markdownTable(
    ['A million events', 'one in each batch', 'five in each batch', 'full batches of ten'],
    [...rows, total],
  );
}

function monthlyTable(): string {
  const rows = rates.map(({ rate, endpoints }) => {
    const load = tableLoad(rate, 1);
    const saved = onDemandMonth(load) - provisionedMonth(load, deployed.provisioned);
    const month = (batch: number) => totalOf(eventBill({ rate, batch, endpoints })) * rate * secondsPerMonth;
    return [
      grouped(rate),
      grouped((rate * secondsPerMonth) / 1_000_000),
      usd(month(1)),
      usd(month(10)),
      usd(month(1) - saved),
      usd(month(10) - saved),
    ];
  });
  return markdownTable(
    [
      'Events a second',
      'Million events a month',
      'on demand, one in each batch',
      'on demand, full batches',
      'provisioned, one in each batch',
      'provisioned, full batches',
    ],
    rows,
  );
}

function capacityTable(): string {
  const rows = [1, 2, 5, 10, 100, 1_000, 100_000].map((rate) => {
    const load = tableLoad(rate, 1);
    const [onDemand, provisioned] = [onDemandMonth(load), provisionedMonth(load, deployed.provisioned)];
    return [grouped(rate), usd(onDemand), usd(provisioned), percent(provisioned / onDemand)];
  });
  const rate = breakEvenRate((at) => tableLoad(at, 1), deployed.provisioned);
  const even = [`**${rate.toFixed(1)}**`, '', '', '**equal**'];
  const index = rows.findIndex(([first]) => Number(first?.replaceAll(',', '')) > rate);
  return markdownTable(
    ['Events a second, steady', 'on demand, a month', 'provisioned, a month', 'of on demand'],
    rows.toSpliced(index, 0, even),
  );
}

function utilizationTable(): string {
  const rows = [0.9, 0.7, 0.5, breakEvenUtilization(), 0.2].map((utilization) => {
    const share = breakEvenUtilization() / utilization;
    return [
      percent(utilization),
      percent(share),
      share > 1.001 ? 'on demand' : share > 0.999 ? 'equal' : 'provisioned',
    ];
  });
  return markdownTable(['Provisioned units that are used', 'Price, of on demand', 'Cheaper'], rows);
}

function instancesTable(): string {
  const rows = [10, 100, 1_000, 10_000].map((rate) => [
    grouped(rate),
    usd(lambdaMonth(rate, 1)),
    usd(lambdaMonth(rate, 10)),
    grouped(instancesFor(rate)),
    usd(instancesMonth(rate)),
  ]);
  return markdownTable(
    [
      'Events a second',
      'Lambda time, one in each batch',
      'Lambda time, full batches',
      'm7g.large',
      'instances, a month',
    ],
    rows,
  );
}

function cacheTable(): string {
  const rows = [10, 1_000].flatMap((rate) =>
    [10, 1_000].map((endpoints) => {
      const cost = (seconds: number) =>
        perMillion(decryptsPerEvent({ rate, batch: 1, endpoints }, seconds) * kms.request);
      return [grouped(rate), grouped(endpoints), cost(secretCache.seconds), cost(3_600)];
    }),
  );
  return markdownTable(
    ['Events a second', 'Endpoints', '**kept for five minutes**', 'kept for an hour'],
    rows,
  );
}

function keysOf<K extends string>(record: Readonly<Record<K, unknown>>): readonly K[] {
  return Object.keys(record).filter((key): key is K => key in record);
}
