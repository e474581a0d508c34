import { deployed } from './deployed.ts';
import { duration, grouped, markdownTable, usd } from './markdown-table.ts';
import {
  batchThatKeepsUp,
  type Lane,
  type Outage,
  outageAttempts,
  outageBill,
  outageFunctions,
  outageGbMs,
  startOfOutage,
} from './outage.ts';

const outage: Outage = { rate: 100, seconds: 3_600 };

export function outageTables(): Readonly<Record<string, string>> {
  return { outage: factsTable(), 'outage bill': billTable() };
}

function factsTable(): string {
  const { failed, timers, peakRate, waiting } = outageAttempts(outage);
  const start = startOfOutage(outage, deployed.deliver.batchSize);
  const rows = [
    ['Failed attempts', grouped(failed)],
    ['Failed attempts a second, from the tenth minute', grouped(peakRate)],
    ['Retry timers', grouped(timers)],
    ['Deliveries that wait for their next attempt at the end, of 10 million timers', grouped(waiting)],
    [
      'Delivery queue at the start without a slow lane, until enough functions run',
      `${grouped(start.backlog)} messages, ${duration(start.seconds * 1_000)}`,
    ],
  ];
  return markdownTable([`${outage.rate} events a second to an endpoint that is down for an hour`, ''], rows);
}

function billTable(): string {
  const { deliver, slowLane } = deployed;
  const keepsUp = batchThatKeepsUp(outage, deliver.memoryMb, deliver.functions);
  const lanes: readonly (readonly [string, Lane])[] = [
    ['One in each batch', { memoryMb: deliver.memoryMb, batch: 1 }],
    [`${keepsUp} in each batch`, { memoryMb: deliver.memoryMb, batch: keepsUp }],
    [`Slow lane, ${slowLane.batchSize / 2} in each batch`, { ...slowLane, batch: slowLane.batchSize / 2 }],
    [`Slow lane, ${slowLane.batchSize} in each batch`, { ...slowLane, batch: slowLane.batchSize }],
  ];
  const columns = ['functions', 'GB-ms an attempt', 'memory', 'writes', 'SQS, invocations', 'timers', 'logs'];
  return markdownTable(['', ...columns, 'together'], lanes.map(billRow));
}

function billRow([name, lane]: readonly [string, Lane]): readonly string[] {
  const bill = outageBill(outage, lane);
  const total = Object.values(bill).reduce((sum, amount) => sum + amount, 0);
  const amounts = [bill.memory, bill.writes, bill.sqs + bill.requests, bill.timers, bill.logs, total];
  return [
    name,
    grouped(outageFunctions(outage, lane)),
    grouped(outageGbMs(lane)),
    ...amounts.map((amount) => usd(amount)),
  ];
}
