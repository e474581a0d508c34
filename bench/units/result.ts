import type { BenchResult, BenchTable, Cell } from '../bench.ts';
import { totalUnits } from './aws-call.ts';
import { billPerMillion, components, total, type Units, unitsPerEvent } from './bill.ts';
import { type Floor, floorNotes, floorOf } from './floor.ts';
import type { NamedCall, Played } from './metered-stack.ts';
import { customers, type Scenario } from './scenario.ts';

export type PlayedScenario = Played & { readonly scenario: Scenario };

type Row = {
  readonly scenario: Scenario;
  readonly calls: readonly NamedCall[];
  readonly units: Units;
  readonly floor: Floor;
};

/** Scenarios whose calls are listed one by one. */
const listed = ['burst', 'trickle', 'burstFanOut', 'failing'];

/** @param first the first events of a stack, to one endpoint of each customer */
export function resultOf(played: readonly PlayedScenario[], first: Played): BenchResult {
  const rows = played.map(({ scenario, ...usage }) => ({
    scenario,
    calls: usage.calls,
    units: unitsPerEvent(usage, scenario.events),
    floor: floorOf(scenario),
  }));
  return {
    tables: [
      tableUnits(rows),
      otherUnits(rows, first),
      costs(rows),
      ...rows.filter(({ scenario }) => listed.includes(scenario.name)).map(byOperation),
    ],
    figures: Object.fromEntries(rows.flatMap(figuresOf)),
    plots: [
      {
        id: 'units-cost',
        title: 'List price of a million events, by component',
        unit: 'USD',
        bars: rows.flatMap(({ scenario, units }) => {
          const bill = billPerMillion(units);
          return components.map((label) => ({ label, value: bill[label], group: scenario.label }));
        }),
      },
    ],
  };
}

function figuresOf({ scenario: { name }, units, floor }: Row): readonly (readonly [string, number])[] {
  const dollars = total(billPerMillion(units));
  return [
    ...Object.entries(units).map(([unit, count]) => [`${name}.${unit}`, count] as const),
    [`${name}.usdPerMillion`, dollars],
    [`${name}.writeUnitsToFloor`, units.writeUnits / floor.writeUnits],
    [`${name}.usdToFloor`, comparable(units) / total(billPerMillion(floor))],
  ];
}

/** US dollars of the parts that have a floor. */
function comparable({ gbMs: _time, logBytes: _logs, ...units }: Units): number {
  return total(billPerMillion(units));
}

function tableUnits(rows: readonly Row[]): BenchTable {
  return {
    title: 'DynamoDB: units for each event',
    columns: [
      '',
      'write units',
      'floor',
      'ratio',
      'of them on indexes',
      'refused',
      'read units',
      'floor',
      'ratio',
      'calls',
    ],
    rows: rows.map(({ scenario, units, floor }) => [
      scenario.label,
      ...withFloor(units.writeUnits, floor.writeUnits),
      units.indexUnits,
      units.refusedUnits,
      ...withFloor(units.readUnits, floor.readUnits),
      units.tableCalls,
    ]),
    notes: [
      'A write that its condition refuses is billed by the size of the item; the emulator does not report it, so the ' +
        'benchmark computes it.',
      ...floorNotes,
    ],
  };
}

function otherUnits(rows: readonly Row[], first: Played): BenchTable {
  const decryptions = first.calls.filter(({ service }) => service === 'kms').length;
  return {
    title: 'Other services: requests for each event',
    columns: [
      '',
      'SQS requests',
      'floor',
      'ratio',
      'invocations',
      'floor',
      'ratio',
      'GB-ms',
      'schedules',
      'floor',
      'KMS calls',
      'log bytes',
    ],
    rows: rows.map(({ scenario, units, floor }) => [
      scenario.label,
      ...withFloor(units.sqsRequests, floor.sqsRequests),
      ...withFloor(units.invocations, floor.invocations),
      units.gbMs,
      units.schedules,
      floor.schedules,
      units.kmsCalls,
      units.logBytes,
    ]),
    notes: [
      `Functions cache secrets: the first events of the stack made ${decryptions} KMS calls for ${customers} endpoints, ` +
        'and each execution environment makes one for an endpoint in five minutes.',
      'SQS requests are those of the functions, of their event source mappings without empty receives, and of Scheduler; ' +
        'the Run engine pays for its own.',
      'GB-ms are the milliseconds of the handlers on this machine, where invocations share two cores, times the memory ' +
        'of the template; log bytes are those of the functions.',
    ],
  };
}

function costs(rows: readonly Row[]): BenchTable {
  return {
    title: 'List price of a million events in USD',
    columns: ['', ...components, 'sum', 'with a floor', 'floor', 'ratio'],
    rows: rows.map(({ scenario, units, floor }) => {
      const bill = billPerMillion(units);
      return [
        scenario.label,
        ...components.map((component) => bill[component]),
        total(bill),
        ...withFloor(comparable(units), total(billPerMillion(floor))),
      ];
    }),
    notes: [
      'Prices are those of bench/prices.ts; without data transfer, storage, idle polling, the sweep and the audit.',
      'SQS includes the surcharge for messages with a group, which AWS has not confirmed.',
      'The columns with a floor leave out the time of the functions and the logs.',
    ],
  };
}

function withFloor(value: number, floor: number): readonly Cell[] {
  return [value, floor, floor === 0 ? null : value / floor];
}

function byOperation({ scenario, calls }: Row): BenchTable {
  const groups = Map.groupBy(calls, ({ caller, name, isRefused }) =>
    [caller, `${name}${isRefused ? ', refused' : ''}`].join('\t'),
  );
  const rows = [...groups].toSorted().map(([key, group]) => {
    const per = (of: (call: NamedCall) => number) =>
      group.reduce((sum, call) => sum + of(call), 0) / scenario.events;
    return [
      ...key.split('\t'),
      per(({ requests }) => requests),
      per(({ writeUnits }) => writeUnits.table ?? 0),
      per(({ writeUnits }) => writeUnits.listed ?? 0),
      per(({ writeUnits }) => writeUnits.waiting ?? 0),
      per(({ readUnits }) => totalUnits(readUnits)),
      per(({ messages }) => messages),
    ];
  });
  return {
    title: `By operation, for each event: ${scenario.label}`,
    columns: [
      'caller',
      'call',
      'requests',
      'write units, table',
      'index listed',
      'index waiting',
      'read units',
      'messages',
    ],
    rows,
  };
}
