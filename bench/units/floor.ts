import type { Units } from './bill.ts';

/** What decides the least that an event can cost. */
export type Shape = {
  /** Deliveries that an event makes. */
  readonly deliveries: number;
  /** POSTs of each delivery. */
  readonly attempts: number;
  /** Messages that one invocation can get: ten in a burst, one at a trickle. */
  readonly batch: number;
};

export type Floor = Pick<
  Units,
  'writeUnits' | 'readUnits' | 'sqsRequests' | 'invocations' | 'schedules' | 'kmsCalls'
>;

/** What the floor counts; one sentence each. */
export const floorNotes: readonly string[] = [
  'The floor is what any design with these promises pays: one write for the Run; for each attempt one write before its ' +
    'POST, so that there are never more than three, and one for its outcome; no index.',
  'It reads the endpoint once for a batch of attempts, so that no POST begins after a deletion; receives and deletes ' +
    'each batch of the intake queue; and has no queue of its own.',
  'Its first retry waits in SQS for nothing, and its second, 50 minutes later, needs a schedule.',
];

/** The least units of one event. Time of functions and logs have no floor here. */
export function floorOf({ deliveries, attempts, batch }: Shape): Floor {
  const posts = deliveries * attempts;
  return {
    writeUnits: 1 + 2 * posts,
    readUnits: posts / batch,
    sqsRequests: 2 / batch,
    invocations: (1 + deliveries * (attempts - 1)) / batch,
    schedules: attempts > 2 ? deliveries : 0,
    kmsCalls: 0,
  };
}
