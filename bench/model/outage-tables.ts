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
    [
      `${keepsUp} in each batch: ${deliver.functions} functions`,
      { memoryMb: deliver.memoryMb, batch: keepsUp },
    ],
    ['Slow lane, batches half full', { memoryMb: slowLane.memoryMb, batch: slowLane.batchSize / 2 }],
    ['Slow lane, full batches', { memoryMb: slowLane.memoryMb, batch: slowLane.batchSize }],
  ];
  const rows = lanes.map(([name, lane]) => {
    const bill = outageBill(outage, lane);
    const total = Object.values(bill).reduce((sum, amount) => sum + amount, 0);
    return [
      name,
      grouped(outageFunctions(outage, lane)),
      grouped(outageGbMs(lane)),
      usd(bill.memory),
      usd(bill.writes),
      usd(bill.sqs + bill.requests),
      usd(bill.timers),
      usd(bill.logs),
      usd(total),
    ];
  });
  return markdownTable(
    [
      '',
      'functions',
      'GB-ms an attempt',
      'memory',
      'writes',
      'SQS, invocations',
      'timers',
      'logs',
      'together',
    ],
    rows,
  );
}
