import { budgets } from '../budgets.ts';
import type { SavedResults } from './results.ts';

/** A figure that the page shows first. */
export type Highlight = {
  readonly what: string;
  readonly benchmark: string;
  /** Name of the figure in the result of the benchmark. */
  readonly figure: string;
  readonly unit: string;
  readonly budget?: number;
};

const highlights: readonly Highlight[] = [
  ...unitsOf('burst', 'in a burst', budgets.readUnitsInBursts),
  ...unitsOf('trickle', 'at 8 a second', budgets.readUnitsAtTrickle),
  {
    what: 'SQS requests for an event, in a burst',
    benchmark: 'units',
    figure: 'burst.sqsRequests',
    unit: '',
    budget: budgets.sqsRequests,
  },
  {
    what: 'Schedules for an event that succeeds at once',
    benchmark: 'units',
    figure: 'burst.schedules',
    unit: '',
    budget: budgets.schedules,
  },
  {
    what: 'AWS list price of a million events, in a burst',
    benchmark: 'units',
    figure: 'burst.usdPerMillion',
    unit: 'USD',
  },
  {
    what: 'AWS list price of a million events, at 8 a second',
    benchmark: 'units',
    figure: 'trickle.usdPerMillion',
    unit: 'USD',
  },
  {
    what: 'CPU time of intake and delivery for an event',
    benchmark: 'pipeline',
    figure: 'handlerCpuMsTenEndpoints',
    unit: 'ms',
    budget: budgets.handlerCpuMs,
  },
  {
    what: 'Deliveries on the local stack, 10 endpoints',
    benchmark: 'pipeline',
    figure: 'deliveriesPerSecondTenEndpoints',
    unit: 'a second',
  },
  {
    what: 'Accepted event to POST, median',
    benchmark: 'pipeline',
    figure: 'acceptedToPostP50Ms',
    unit: 'ms',
  },
  {
    what: 'Accepted event to POST, 99th percentile',
    benchmark: 'pipeline',
    figure: 'acceptedToPostP99Ms',
    unit: 'ms',
  },
  {
    what: 'The same beside a slow endpoint',
    benchmark: 'neighbour',
    figure: 'quickP99MsBeside:slow',
    unit: 'ms',
    budget: budgets.quickP99Ms,
  },
  {
    what: 'The same beside an endpoint that never answers',
    benchmark: 'neighbour',
    figure: 'quickP99MsBeside:silent',
    unit: 'ms',
    budget: budgets.quickP99Ms,
  },
  {
    what: 'Cold start of intake and delivery, to an empty handler',
    benchmark: 'cold-start',
    figure: 'queuesToEmptyHandler',
    unit: 'times',
    budget: budgets.coldStart,
  },
  {
    what: 'Cold start of the slowest API function, to an empty handler',
    benchmark: 'cold-start',
    figure: 'apiToEmptyHandler',
    unit: 'times',
    budget: budgets.coldStart,
  },
  {
    what: 'Largest bundle of intake and delivery',
    benchmark: 'cold-start',
    figure: 'queueBundleKb',
    unit: 'KB',
    budget: budgets.bundleKb,
  },
  {
    what: 'Peak memory of the delivery function, any receiver',
    benchmark: 'memory',
    figure: 'deliverPeakMb',
    unit: 'MB',
  },
  {
    what: 'Units of any request with many records, to 1 thousand',
    benchmark: 'growth',
    figure: 'largestUnitRatio',
    unit: 'times',
    budget: budgets.unitRatio,
  },
  {
    what: 'Time of a request with many records, to 1 thousand, median',
    benchmark: 'growth',
    figure: 'medianTimeRatio',
    unit: 'times',
    budget: budgets.timeRatio,
  },
];

function unitsOf(scenario: string, when: string, readBudget: number): readonly Highlight[] {
  const common = { benchmark: 'units', unit: '' } as const;
  return [
    {
      ...common,
      what: `DynamoDB write units for an event, ${when}`,
      figure: `${scenario}.writeUnits`,
      budget: budgets.writeUnits,
    },
    {
      ...common,
      what: `DynamoDB read units for an event, ${when}`,
      figure: `${scenario}.readUnits`,
      budget: readBudget,
    },
  ];
}

export type ShownHighlight = Highlight & { readonly value: number };

/** The highlights whose figure is saved. */
export function shownHighlights(results: SavedResults): readonly ShownHighlight[] {
  return highlights.flatMap((highlight) => {
    const value = results[highlight.benchmark]?.result.figures[highlight.figure];
    return value === undefined ? [] : [{ ...highlight, value }];
  });
}
