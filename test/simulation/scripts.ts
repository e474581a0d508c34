import fc from 'fast-check';
import { type Fault, type FaultPoint, faultKinds } from './world/faults.ts';
import { services } from './world/io.ts';
import { type Action, type Answer, answers, type Script } from './world/script.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long after the action before: mostly at once or soon, sometimes when a retry or the end of an overlap is due. */
const pause = fc.oneof(
  { weight: 5, arbitrary: fc.constant(0) },
  { weight: 5, arbitrary: fc.nat(2 * second) },
  { weight: 3, arbitrary: fc.nat(30 * second) },
  { weight: 3, arbitrary: fc.nat(15 * minute) },
  { weight: 1, arbitrary: fc.nat(70 * minute) },
  { weight: 1, arbitrary: fc.integer({ min: 23 * hour, max: 25 * hour }) },
);

const often = fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constant(2) });
const customer = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) });
const pick = fc.nat(11);
const stranger = fc.oneof(
  { weight: 9, arbitrary: fc.constant(false) },
  { weight: 1, arbitrary: fc.constant(true) },
);

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      after: pause,
      do: fc.constant('emit'),
      customer,
      about: fc.constantFrom('run', 'report'),
      subject: fc.nat(2),
      variant: fc.nat(1),
      times: often,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      after: pause,
      do: fc.constant('register'),
      customer,
      times: fc.oneof({ weight: 5, arbitrary: often }, { weight: 1, arbitrary: fc.constant(6) }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ after: pause, do: fc.constant('delete'), pick, times: often, stranger }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ after: pause, do: fc.constant('rotate'), pick, times: often, stranger }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ after: pause, do: fc.constant('replay'), pick, times: often, stranger }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      after: pause,
      do: fc.constant('outage'),
      service: fc.constantFrom(...services),
      lasts: fc.nat(20 * minute),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      after: pause,
      do: fc.constant('garbage'),
      queue: fc.constantFrom('intake', 'delivery'),
      kind: fc.constantFrom('text', 'ghost'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ after: pause, do: fc.constant('power_cut') }) },
);

const answer: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 1, arbitrary: fc.constant('ok') },
  { weight: 2, arbitrary: fc.constantFrom(...answers) },
);

/** Faults of one kind of point. A run has some dozens of requests and a few of everything else. */
const faultAt = (point: FaultPoint, gap: fc.Arbitrary<number>): fc.Arbitrary<Fault> =>
  fc.record({ gap, kind: fc.constantFrom(...faultKinds[point]) });

const fault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 5, arbitrary: faultAt('request', fc.oneof(fc.nat(4), fc.nat(25))) },
  { weight: 2, arbitrary: faultAt('post', fc.nat(4)) },
  { weight: 2, arbitrary: faultAt('invocation', fc.nat(8)) },
  { weight: 1, arbitrary: faultAt('send', fc.nat(4)) },
  { weight: 1, arbitrary: faultAt('receive', fc.nat(5)) },
  { weight: 1, arbitrary: faultAt('deletion', fc.nat(5)) },
  { weight: 1, arbitrary: faultAt('firing', fc.nat(2)) },
);

/** Runs of every kind, small enough that thousands are played in seconds. */
export const scripts: fc.Arbitrary<Script> = fc.record({
  seed: fc.nat(2 ** 31 - 1),
  endpoints: fc.tuple(fc.oneof(fc.constant(1), fc.constant(2), fc.constant(4)), fc.nat(1)),
  receivers: fc.array(fc.array(answer, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 2 }),
  handshakes: fc.array(answer, { minLength: 1, maxLength: 2 }),
  actions: fc.array(action, { minLength: 1, maxLength: 7, size: 'max' }),
  faults: fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 6, arbitrary: fc.array(fault, { maxLength: 16, size: 'max' }) },
  ),
  stormLasts: fc.oneof(fc.constant(0), fc.nat(minute), fc.nat(2 * hour)),
  endsWithPowerCut: fc.boolean(),
  maxReceiveCount: fc.oneof(
    { weight: 3, arbitrary: fc.constant(100) },
    { weight: 1, arbitrary: fc.constant(5) },
  ),
});
