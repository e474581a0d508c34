import { deliverWork, eventUnits, intakeWork } from './assumptions.ts';
import { deployed } from './deployed.ts';
import { decryptsPerEvent, tableLoad } from './event-bill.ts';
import { functionsBusy } from './lambda.ts';
import { grouped, markdownTable } from './markdown-table.ts';
import { rates } from './rate-tables.ts';

type Point = (typeof rates)[number];

type Quota = {
  readonly name: string;
  readonly limit: number;
  readonly used: (point: Point) => number;
};

/** Share of events whose endpoint fails to the end. */
const failing = 0.01;
const timersPerFailure = 2;

const busy = ({ rate }: Point, batch: number) => ({
  intake: functionsBusy(deployed.intake.memoryMb, intakeWork, batch, rate),
  deliver: functionsBusy(deployed.deliver.memoryMb, deliverWork, batch, rate),
});

const quotas: readonly Quota[] = [
  {
    name: 'Table: write units a second at once on the first day',
    limit: 4_000,
    used: ({ rate }) => rate * (eventUnits.tableWrites + eventUnits.listedWrites),
  },
  {
    name: 'Table: write units a second, quota of a table with its indexes',
    limit: 40_000,
    used: ({ rate }) => rate * (eventUnits.tableWrites + eventUnits.listedWrites),
  },
  {
    name: 'Table: read units a second, quota of a table',
    limit: 40_000,
    used: ({ rate }) => tableLoad(rate, 10).reads,
  },
  {
    name: 'One endpoint: deliveries a second, one partition',
    limit: 333,
    used: ({ rate, endpoints }) => rate / endpoints,
  },
  {
    name: 'One customer with all events: entries a second in its index of Runs',
    limit: 1_000,
    used: ({ rate }) => rate,
  },
  {
    name: 'Intake functions, full batches',
    limit: deployed.intake.functions,
    used: (at) => busy(at, 10).intake,
  },
  {
    name: 'Delivery functions, full batches',
    limit: deployed.deliver.functions,
    used: (at) => busy(at, 10).deliver,
  },
  {
    name: 'Lambda in the account, full batches',
    limit: 1_000,
    used: (at) => busy(at, 10).intake + busy(at, 10).deliver,
  },
  {
    name: 'Lambda in the account, one in each batch',
    limit: 1_000,
    used: (at) => busy(at, 1).intake + busy(at, 1).deliver,
  },
  {
    name: 'Scheduler: timers fired a second, 1 % of the events fail to the end',
    limit: 1_000,
    used: ({ rate }) => rate * failing * timersPerFailure,
  },
  {
    name: 'Index of waiting deliveries: writes a second, same failures',
    limit: 8_000,
    used: ({ rate }) => rate * failing * 4,
  },
  {
    name: 'KMS: decryptions a second',
    limit: 10_000,
    used: (at) => at.rate * decryptsPerEvent({ ...at, batch: 10 }),
  },
  { name: 'SQS: messages in flight', limit: 120_000, used: (at) => busy(at, 1).intake + busy(at, 1).deliver },
];

export function quotaTables(): Readonly<Record<string, string>> {
  const rows = quotas.map(({ name, limit, used }) => [
    name,
    grouped(limit),
    ...rates.map((at) => {
      const value = used(at);
      const text = value < 1 ? '< 1' : grouped(value);
      return value > limit ? `**${text}**` : text;
    }),
  ]);
  const columns = ['Quota', 'default', ...rates.map(({ rate }) => `${grouped(rate)} events/s`)];
  return { quotas: markdownTable(columns, rows) };
}
