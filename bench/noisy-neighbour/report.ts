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

/** What was measured, the same as the model has it, and the model with the numbers of a deployed stage. */
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

function measuredRows({ alone, plain, fair, backlog }: Measured): readonly Row[] {
  const what = 'measured, local stack';
  return [
    { what, neighbour: 'none', order: 'as it comes', spread: alone, patienceMs },
    { what, neighbour: waiting(backlog.plain), order: 'as it comes', spread: plain, base: alone, patienceMs },
    { what, neighbour: waiting(backlog.fair), order: 'fair', spread: fair, base: alone, patienceMs },
  ];
}

/** The model with the numbers that were met: whether it can be believed is seen by comparing the two. */
function localModel(
  scenario: Scenario,
  measured: Measured,
): { readonly functions: number; readonly rows: readonly Row[] } {
  const functions = Math.ceil(measured.slowAtOnce / deployed.batchSize);
  const common = { ...scenario, batchSize: deployed.batchSize, capacity: always(functions) };
  const play = (order: ModelledRun['order'], count: number) =>
    modelQuick({ ...common, order, waiting: count, handlingMs: measured.alone.p50 });
  const { backlog } = measured;
  const rows = comparedRows(`model, ${functions} functions`, {
    // The model knows no jitter; compared with what was measured alone, its ratios can be read beside the others.
    base: measured.alone,
    alone: play('plain', 0),
    plain: { count: backlog.plain, spread: play('plain', backlog.plain) },
    fair: { count: backlog.fair, spread: play('fair', backlog.fair) },
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
      plain: { count: scenario.waiting, spread: play('plain', scenario.waiting) },
      fair: { count: scenario.waiting, spread: play('fair', scenario.waiting) },
    });
  });
}

type Beside = { readonly count: number; readonly spread: Row['spread'] };
type Compared = {
  readonly alone: Row['spread'];
  readonly plain: Beside;
  readonly fair: Beside;
  /** What the ratios refer to; `alone` by default. */
  readonly base?: Row['spread'];
};

function comparedRows(what: string, { alone, plain, fair, base = alone }: Compared): readonly Row[] {
  const beside = ({ count, spread }: Beside, order: string): Row => ({
    what,
    neighbour: waiting(count),
    order,
    spread,
    base,
    patienceMs,
  });
  return [
    { what, neighbour: 'none', order: 'as it comes', spread: alone, patienceMs },
    beside(plain, 'as it comes'),
    beside(fair, 'fair'),
  ];
}

const waiting = (count: number) => `${count} waiting`;

function describeRamp(kind: RampKind): string {
  return kind === 'even' ? 'evenly' : 'by the minute';
}

function explainMeasured(
  { quietFirst, slowAtOnce, backlog }: Measured,
  functions: number,
): readonly string[] {
  return [
    'What was measured',
    `- The local stack had ${slowAtOnce} POSTs to the slow endpoint side by side: ${functions} batches of ` +
      `${deployed.batchSize}. A deployed stage goes up to ${deployed.functions} × ${deployed.batchSize}.`,
    '- The SQS emulator drops MessageGroupId on a standard queue. Asked here: of ten messages received while a group ' +
      `with 40 in flight had 40 more waiting ahead, ${quietFirst.plain} were of a quiet group. So "as it comes" is a ` +
      'queue without fairness, not what SQS does with our message groups.',
    '- For "fair" the benchmark taught the emulator the rule that AWS documents, with the endpoint in the message as ' +
      `the group; asked again, ${quietFirst.fair} of ten were of the quiet group.`,
    '- A fair queue takes no function away from the slow endpoint. While it holds all of them, the others wait until ' +
      'one comes free: ten seconds at most, and less the more functions there are.',
    `- ${backlog.atEnd} deliveries still waited at the end. An event that did not arrive within ` +
      `${patienceMs / 1_000} s is shown as later than that.`,
  ];
}

function explainModel({ quickEndpoints, rate, seconds }: Scenario): readonly string[] {
  return [
    'What is modelled',
    `- ${rate} events a second over ${quickEndpoints} quick endpoints for ${seconds} s, from the moment of the backlog ` +
      'on; a slow delivery holds its function for 10 s, a quick one for 0.2 s.',
    `- A model of what AWS documents, not a measurement of AWS: 5 functions at first, 300 more a minute (whether ` +
      'evenly or in one step is not documented: both are shown), quiet groups first once a group is noisy. Taken as ' +
      `exact where AWS says approximate; ${quickDeployedMs} ms from event to POST when nothing waits is assumed.`,
  ];
}
