import type { Measured } from './measure.ts';
import { patienceMs } from './measure.ts';
import {
  always,
  deployed,
  type ModelledRun,
  modelQuick,
  type RampKind,
  ramp,
  rampKinds,
  type Scenario,
} from './scenario.ts';
import { formatTable, type Row } from './table.ts';

const quickDeployedMs = 100;

/** The measurement, the model of the same run, and the model of a deployed stage. */
export function reportMeasured(scenario: Scenario, measured: Measured): string {
  const local = localModel(scenario, measured);
  return [
    formatTable([...measuredRows(measured), ...local.rows, ...deployedRows(scenario)]),
    '',
    ...explainMeasured(measured, local.functions),
    ...explainModel(scenario),
  ].join('\n');
}

/** The model alone. */
export function reportModel(scenario: Scenario): string {
  return [formatTable(deployedRows(scenario)), '', ...explainModel(scenario)].join('\n');
}

function measuredRows({ alone, beside, backlog }: Measured): readonly Row[] {
  const common = { what: 'measured, local stack', order: orders.plain, patienceMs };
  return [
    { ...common, neighbour: 'none', spread: alone },
    { ...common, neighbour: waiting(backlog.atStart), spread: beside, base: alone },
  ];
}

/** Models the measured run: the comparison shows whether the model is right. */
function localModel(
  scenario: Scenario,
  measured: Measured,
): { readonly functions: number; readonly rows: readonly Row[] } {
  const functions = Math.ceil(measured.slowAtOnce / deployed.batchSize);
  const common = { ...scenario, batchSize: deployed.batchSize, capacity: always(functions) };
  const play = (order: ModelledRun['order'], count: number) =>
    modelQuick({ ...common, order, waiting: count, handlingMs: measured.alone.p50 });
  const waitingAtStart = measured.backlog.atStart;
  const rows = comparedRows(`model, ${functions} functions`, {
    // The model has no jitter. Comparing with the measured base makes its ratios comparable to the measured ones.
    base: measured.alone,
    alone: play('plain', 0),
    count: waitingAtStart,
    plain: play('plain', waitingAtStart),
    fair: play('fair', waitingAtStart),
  });
  return { functions, rows };
}

function deployedRows(scenario: Scenario): readonly Row[] {
  return rampKinds.flatMap((kind) => {
    const play = (order: ModelledRun['order'], count: number) =>
      modelQuick({
        ...scenario,
        order,
        waiting: count,
        batchSize: deployed.batchSize,
        capacity: ramp(kind, deployed.functions),
        handlingMs: quickDeployedMs,
      });
    return comparedRows(`model, up to ${deployed.functions} functions, added ${describeRamp(kind)}`, {
      alone: play('plain', 0),
      count: scenario.waiting,
      plain: play('plain', scenario.waiting),
      fair: play('fair', scenario.waiting),
    });
  });
}

const orders: Readonly<Record<ModelledRun['order'], string>> = { plain: 'first in, first out', fair: 'fair' };

type Compared = {
  readonly alone: Row['spread'];
  /** Deliveries that wait for the slow endpoint. */
  readonly count: number;
  readonly plain: Row['spread'];
  readonly fair: Row['spread'];
  /** Base of the ratios. Default `alone`. */
  readonly base?: Row['spread'];
};

function comparedRows(what: string, compared: Compared): readonly Row[] {
  const { alone, count, plain, fair, base = alone } = compared;
  const beside = { what, neighbour: waiting(count), base, patienceMs };
  return [
    { what, neighbour: 'none', order: orders.plain, spread: alone, patienceMs },
    { ...beside, order: orders.plain, spread: plain },
    { ...beside, order: orders.fair, spread: fair },
  ];
}

const waiting = (count: number) => `${count} waiting`;

function describeRamp(kind: RampKind): string {
  return kind === 'even' ? 'evenly' : 'by the minute';
}

function explainMeasured({ slowAtOnce, backlog }: Measured, functions: number): readonly string[] {
  return [
    'Measured',
    `- The local stack had up to ${slowAtOnce} simultaneous POSTs to the slow endpoint: ${functions} batches of ` +
      `${deployed.batchSize}. A deployed stage goes up to ${deployed.functions} × ${deployed.batchSize}.`,
    '- The SQS emulator drops MessageGroupId on a standard queue, so the local stack measures a queue without ' +
      'fairness. SQS itself uses the message groups; only the model shows their effect.',
    `- ${backlog.atEnd} deliveries still waited at the end. An event that did not arrive within ` +
      `${patienceMs / 1_000} s is shown as later than that.`,
  ];
}

function explainModel({ quickEndpoints, rate, seconds }: Scenario): readonly string[] {
  return [
    'Modelled',
    `- ${rate} events per second over ${quickEndpoints} quick endpoints for ${seconds} s, from the moment of the ` +
      'backlog. A slow delivery holds its function for 10 s, a quick one for 0.2 s.',
    '- A fair queue takes no function away from the slow endpoint. While it holds all functions, the other ' +
      'endpoints wait until one is free: at most ten seconds, and less with more functions.',
    '- This models the behaviour that AWS documents; nothing was measured on AWS. It starts with 5 functions and adds ' +
      '300 a minute (evenly or in one step: AWS does not say, so both are shown), and serves quiet groups first once ' +
      'a group is noisy. Thresholds that AWS calls approximate are exact here. ' +
      `${quickDeployedMs} ms from event to POST when nothing waits is an assumption.`,
  ];
}
