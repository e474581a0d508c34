import type { BenchTable, Cell } from '../bench.ts';
import type { Spread } from '../percentiles.ts';
import {
  deployed,
  type ModelledRun,
  modelQuick,
  type RampKind,
  ramp,
  rampKinds,
  type Scenario,
} from './scenario.ts';

/** Modelled endpoints beside the quick ones, in a minute that begins with the five functions of an idle queue. */
const neighbours: readonly { readonly label: string; readonly scenario: Scenario }[] = [
  {
    label: 'answers after 5 s, 3.3 events a second',
    scenario: {
      waiting: 0,
      slowRate: 10 / 3,
      slowMs: 5_000,
      quickEndpoints: 20,
      rate: 20,
      seconds: 60,
    },
  },
  {
    label: 'never answers, 10 events a second',
    scenario: { waiting: 0, slowRate: 10, quickEndpoints: 20, rate: 20, seconds: 60 },
  },
  {
    label: 'never answers, 5,000 deliveries wait',
    scenario: { waiting: 5_000, quickEndpoints: 20, rate: 10, seconds: 60 },
  },
];

/** Milliseconds from event to POST on a deployed stage when nothing waits: an assumption. */
const handlingMs = 100;

const queues: readonly (Pick<ModelledRun, 'order' | 'slowLane'> & { readonly label: string })[] = [
  { label: 'as received', order: 'plain' },
  { label: 'fair', order: 'fair' },
  { label: 'fair, with a slow lane', order: 'fair', slowLane: true },
];

/** The modelled first minute of a deployed stage. */
export type ModelRow = {
  /** What the slow endpoint does. */
  readonly neighbour: string;
  /** How Lambda adds functions. */
  readonly added: 'evenly' | 'once a minute';
  /** How the queue orders messages. */
  readonly queue: string;
  /** Milliseconds from event to POST at the quick endpoints. */
  readonly quick: Spread;
  /** The same without the slow endpoint. */
  readonly alone: Spread;
};

const added: Readonly<Record<RampKind, ModelRow['added']>> = {
  even: 'evenly',
  'by the minute': 'once a minute',
};

/** Every row of the model; computed in a few seconds, the same on every machine. */
export function modelRows(): readonly ModelRow[] {
  return neighbours.flatMap(({ label: neighbour, scenario }) =>
    rampKinds.flatMap((kind) => {
      const run = {
        ...scenario,
        batchSize: deployed.batchSize,
        capacity: ramp(kind, deployed.functions),
        handlingMs,
      };
      const alone = modelQuick({ ...run, waiting: 0, slowRate: 0, order: 'plain' });
      return queues.map(({ label: queue, ...how }) => ({
        neighbour,
        added: added[kind],
        queue,
        quick: modelQuick({ ...run, ...how }),
        alone,
      }));
    }),
  );
}

/** The rows as a table. */
export function modelTable(rows: readonly ModelRow[]): BenchTable {
  return {
    title: 'Model of the first minute of a deployed stage: ms from event to POST at 20 quick endpoints',
    columns: ['slow endpoint', 'functions are added', 'queue', 'p50', 'p99', 'max', 'p99, with : without'],
    rows: rows.map(({ neighbour, added: how, queue, quick, alone }): readonly Cell[] => [
      neighbour,
      how,
      queue,
      quick.p50,
      quick.p99,
      quick.max,
      quick.p99 / alone.p99,
    ]),
    notes: [
      'The model is arithmetic on what AWS documents; nothing was measured on AWS. It starts with 5 functions and adds ' +
        '300 a minute, evenly or in one step: AWS does not say which.',
      'A fair queue serves quiet groups first once a group is noisy; thresholds that AWS calls approximate are exact ' +
        'here.',
      `With a slow lane, an endpoint that has not answered for a second has a queue and functions of its own.`,
      `${handlingMs} ms from event to POST when nothing waits, and 200 ms of a function for a quick delivery, are ` +
        'assumptions.',
    ],
  };
}
