import {
  deployed,
  type ModelledRun,
  modelQuick,
  ramp,
  rampKinds,
  type Scenario,
} from '../neighbour/scenario.ts';
import { duration, markdownTable } from './markdown-table.ts';

const quick = { quickEndpoints: 20, rate: 10, seconds: 60 } as const;

const scenarios: readonly { readonly label: string; readonly scenario: Scenario }[] = [
  { label: 'gets 10 events a second', scenario: { ...quick, waiting: 0, slowRate: 10 } },
  { label: 'has 5,000 waiting deliveries', scenario: { ...quick, waiting: 5_000 } },
];

const queues: readonly (Pick<ModelledRun, 'order' | 'slowLane'> & { readonly label: string })[] = [
  { label: 'as received', order: 'plain' },
  { label: 'fair', order: 'fair' },
  { label: 'fair, slow lane', order: 'fair', slowLane: true },
];

/** Milliseconds from event to POST when nothing waits: an assumption. */
const handlingMs = 100;

/** The first minute of a deployed stage beside an endpoint that never answers. */
export function neighbourTables(): Readonly<Record<string, string>> {
  const rows = scenarios.flatMap(({ label, scenario }) =>
    rampKinds.flatMap((kind) =>
      queues.map(({ label: queue, ...how }) => {
        const capacity = ramp(kind, deployed.functions);
        const { p50, p99 } = modelQuick({
          ...scenario,
          ...how,
          batchSize: deployed.batchSize,
          capacity,
          handlingMs,
        });
        const added = kind === 'even' ? 'evenly' : 'once a minute';
        return [label, added, queue, duration(p50), duration(p99)];
      }),
    ),
  );
  const columns = ['The endpoint', 'functions are added', 'queue', 'p50 at the others', 'p99'];
  return { 'first minute': markdownTable(columns, rows) };
}
