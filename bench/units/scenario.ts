import type { Load } from '../support/load.ts';
import type { Shape } from './floor.ts';

/** Who receives the events. */
export type Audience = 'oneEndpoint' | 'fanOut' | 'tenCustomers' | 'failing';

export type Scenario = Shape & {
  /** Prefix of its figures. */
  readonly name: string;
  readonly label: string;
  readonly audience: Audience;
  readonly events: number;
  readonly pace: Load['pace'];
};

/** The most that one customer can have. */
export const fanOutEndpoints = 5;
export const customers = 10;
const trickle = { perSecond: 8 } as const;
const trickleEvents = 80;
const burst = { publishers: 32 } as const;
const fullBatch = 10;

const once = { deliveries: 1, attempts: 1 } as const;
const fanOut = { deliveries: fanOutEndpoints, attempts: 1 } as const;

/** `burst` and `trickle` are the plain cases: one endpoint, delivered at the first attempt. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'burst',
    label: 'burst, 1 endpoint',
    audience: 'oneEndpoint',
    events: 500,
    pace: burst,
    ...once,
    batch: fullBatch,
  },
  {
    name: 'burstFanOut',
    label: `burst, ${fanOutEndpoints} endpoints of 1 customer`,
    audience: 'fanOut',
    events: 100,
    pace: burst,
    ...fanOut,
    batch: fullBatch,
  },
  {
    name: 'burstCustomers',
    label: `burst, ${customers} customers`,
    audience: 'tenCustomers',
    events: 500,
    pace: burst,
    ...once,
    batch: fullBatch,
  },
  {
    name: 'trickle',
    label: '8 a second, 1 endpoint',
    audience: 'oneEndpoint',
    events: trickleEvents,
    pace: trickle,
    ...once,
    batch: 1,
  },
  {
    name: 'trickleFanOut',
    label: `8 a second, ${fanOutEndpoints} endpoints of 1 customer`,
    audience: 'fanOut',
    events: trickleEvents,
    pace: trickle,
    ...fanOut,
    batch: 1,
  },
  {
    name: 'trickleCustomers',
    label: `8 a second, ${customers} customers`,
    audience: 'tenCustomers',
    events: trickleEvents,
    pace: trickle,
    ...once,
    batch: 1,
  },
  // A burst would return as two more bursts, seconds apart.
  {
    name: 'failing',
    label: '8 a second, fails three times',
    audience: 'failing',
    events: 40,
    pace: trickle,
    deliveries: 1,
    attempts: 3,
    batch: 1,
  },
];
