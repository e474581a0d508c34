import { apiGateway, lambda, sqs } from '../prices.ts';
import { cpuBeforePost, deliverWork, intakeWork, largeMessage, requestWork } from './assumptions.ts';
import { deployed } from './deployed.ts';
import { sqsRequests } from './event-bill.ts';
import { batchWithWindow, cpuTime, durationMs, gbMsPerMessage, lambdaUsd, type Work } from './lambda.ts';
import { duration, markdownTable, perMillion } from './markdown-table.ts';

export function memoryTables(): Readonly<Record<string, string>> {
  return {
    'intake memory': intakeTable(),
    'deliver memory': deliverTable(),
    'request memory': requestTable(),
    'batch size': batchTable(),
    'batch window': windowTable(),
  };
}

const bold = (text: string, isChosen: boolean) => (isChosen ? `**${text}**` : text);

function intakeTable(): string {
  const rows = [512, 768, 1_024, 1_769].map((memory) => {
    return [
      bold(`${memory} MB`, memory === deployed.intake.memoryMb),
      ...costs(memory, intakeWork),
      duration(cpuTime(memory, intakeWork.cpuPerInvocation + intakeWork.cpuPerMessage)),
      duration(cpuTime(memory, largestBatchCpu())),
    ];
  });
  return markdownTable(
    [
      'Intake',
      'a million, one in each batch',
      'a million, full batches',
      'CPU on the way of an event',
      '6 MB of the smallest items',
    ],
    rows,
  );
}

/** CPU-milliseconds of a batch with as many bytes as an invocation can have. */
function largestBatchCpu(): number {
  const bytes = largeMessage.payload / largeMessage.escaped;
  const items = bytes / largeMessage.itemBytes;
  return (bytes / 1_000_000) * largeMessage.parseCpu + items * largeMessage.itemCpu;
}

function deliverTable(): string {
  const { cpuPerInvocation, cpuPerMessage } = deliverWork;
  const rows = [128, 256, 512, 1_024].map((memory) => [
    bold(`${memory} MB`, memory === deployed.deliver.memoryMb),
    ...costs(memory, deliverWork),
    duration(cpuTime(memory, (cpuPerInvocation + cpuPerMessage) * cpuBeforePost)),
    duration(cpuTime(memory, cpuPerInvocation + deployed.deliver.batchSize * cpuPerMessage)),
  ]);
  return markdownTable(
    [
      'Delivery',
      'a million, one in each batch',
      'a million, full batches',
      'CPU before the POST of one',
      'CPU of a full batch',
    ],
    rows,
  );
}

function costs(memory: number, work: Work): readonly string[] {
  return [1, deployed.deliver.batchSize].map((batch) => perMillion(lambdaUsd(memory, work, batch)));
}

function requestTable(): string {
  const rows = [256, 512, 1_024].map((memory) => {
    const cost = lambdaUsd(memory, requestWork, 1);
    return [
      bold(`${memory} MB`, memory === deployed.api.memoryMb),
      duration(durationMs(memory, requestWork, 1)),
      perMillion(cost),
      perMillion(cost + apiGateway.restRequest),
    ];
  });
  return markdownTable(['API function', 'time of a request', 'a million', 'with API Gateway'], rows);
}

function batchTable(): string {
  const rows = [1, 2, 5, 10].map((batch) => [
    String(batch),
    sqsRequests(batch).toFixed(1),
    perMillion(sqsRequests(batch) * sqs.request + (3 / batch) * sqs.fairRequest),
    perMillion((2 * lambda.request) / batch),
    gbMsPerMessage(deployed.intake.memoryMb, intakeWork, batch).toFixed(1),
    gbMsPerMessage(deployed.deliver.memoryMb, deliverWork, batch).toFixed(1),
    perMillion(
      ((gbMsPerMessage(deployed.intake.memoryMb, intakeWork, batch) +
        gbMsPerMessage(deployed.deliver.memoryMb, deliverWork, batch)) *
        lambda.gbSecond) /
        1_000,
    ),
  ]);
  return markdownTable(
    [
      'Messages in each batch',
      'SQS requests an event',
      'SQS, a million events',
      'invocations, a million events',
      'intake GB-ms',
      'delivery GB-ms',
      'memory, a million events',
    ],
    rows,
  );
}

function windowTable(): string {
  const base = unitCost(1);
  const rows = [1, 10, 100].flatMap((rate) =>
    [1_000, 5_000].map((windowMs) => {
      const window = { batchSize: deployed.deliver.batchSize, windowMs, pollers: 5 };
      const { messages, delayMs } = batchWithWindow(window, rate);
      return [
        String(rate),
        duration(windowMs),
        messages.toFixed(1),
        duration(delayMs),
        perMillion(base - unitCost(messages)),
      ];
    }),
  );
  return markdownTable(
    [
      'Events a second',
      'batch window',
      'messages in each batch',
      'mean delay, each queue',
      'saves, a million events',
    ],
    rows,
  );
}

/** US dollars of what batches share: SQS, invocations and memory. */
function unitCost(batch: number): number {
  return (
    sqsRequests(batch) * sqs.request +
    (3 / batch) * sqs.fairRequest +
    lambdaUsd(deployed.intake.memoryMb, intakeWork, batch) +
    lambdaUsd(deployed.deliver.memoryMb, deliverWork, batch)
  );
}
