import fc from 'fast-check';
import { earlyReturns } from '#shared/contract/returned-messages.ts';
import { replayableStatuses } from '#shared/domain/bulk-replay.ts';
import { services } from '../support/table/io.ts';
import { hour, minute } from '../support/values/builders.ts';
import { type Fault, type FaultPoint, faultKinds } from './world/faults.ts';
import { variants } from './world/run-engine.ts';
import { type Action, type Answer, answers, queueNames, type Script } from './world/script.ts';

const second = 1000;

type Weighted<T> = readonly [weight: number, arbitrary: fc.Arbitrary<T>];

function weighted<T>(...choices: readonly Weighted<T>[]): fc.Arbitrary<T> {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

/** Milliseconds after the previous action: soon, or about when a retry or the end of an overlap is due. */
const anyPause = weighted(
  [4, fc.constant(0)],
  [4, fc.nat(second / 10)],
  [4, fc.nat(2 * second)],
  [3, fc.nat(30 * second)],
  [3, fc.nat(15 * minute)],
  [1, fc.nat(70 * minute)],
  [1, fc.integer({ min: 23 * hour, max: 25 * hour })],
);

const customer = weighted([4, fc.constant(0)], [1, fc.constant(1)]);
const times = weighted([4, fc.constant(1)], [2, fc.constant(2)], [1, fc.constant(4)]);
const replayable = fc.constantFrom(...replayableStatuses);
const stranger = weighted([9, fc.constant(false)], [1, fc.constant(true)]);

function kindsOf(after: fc.Arbitrary<number>, pick: fc.Arbitrary<number>) {
  const act = <const D extends Action['do']>(name: D) => ({ after, do: fc.constant(name) });
  const several = { pick, times, stranger };
  const replayAll = { ...several, status: replayable };
  return {
    emit: fc.record({
      ...act('emit'),
      customer,
      about: fc.constantFrom('run', 'report'),
      subject: fc.nat(2),
      variant: weighted([4, fc.nat(1)], [2, fc.integer({ min: 2, max: variants - 1 })]),
      times,
    }),
    register: fc.record({ ...act('register'), customer, times: weighted([6, times], [1, fc.constant(6)]) }),
    remove: fc.record({ ...act('delete'), ...several }),
    rotate: fc.record({ ...act('rotate'), ...several }),
    replay: fc.record({ ...act('replay'), ...several }),
    replayAll: fc.record({ ...act('replay_all'), ...replayAll }),
    replayFrom: fc.record({ ...act('replay_all'), ...replayAll, source: pick }),
    cancel: fc.record({ ...act('cancel'), ...several }),
    give: fc.record({
      ...act('give'),
      customer,
      by: fc.constantFrom('link', 'token'),
      minutes: fc.constantFrom(1, 60),
    }),
    revoke: fc.record({ ...act('revoke'), pick, times }),
    signIn: fc.record({ ...act('sign_in'), pick, times, registers: fc.boolean() }),
    close: fc.record({ ...act('close'), customer }),
    spread: fc.record({ ...act('spread'), pick, partitions: fc.constantFrom(2, 4, 32) }),
    outage: fc.record({ ...act('outage'), service: fc.constantFrom(...services), lasts: fc.nat(20 * minute) }),
    garbage: fc.record({
      ...act('garbage'),
      queue: fc.constantFrom(...queueNames),
      kind: weighted<'text' | 'ghost' | 'full'>([4, fc.constantFrom('text', 'ghost')], [1, fc.constant('full')]),
    }),
    powerCut: fc.record(act('power_cut')),
  };
}

type Kinds = ReturnType<typeof kindsOf>;

/** What happens every day. */
const everyDay = ({ emit, register, remove, rotate, replay, replayAll, spread, outage, garbage, powerCut }: Kinds) =>
  weighted<Action>(
    [8, emit],
    [3, register],
    [3, remove],
    [2, rotate],
    [3, replay],
    [1, replayAll],
    [1, spread],
    [1, outage],
    [1, garbage],
    [1, powerCut],
  );

/** After an outage of a receiver. */
const replaying = ({ replayAll, cancel, replay, emit, remove, powerCut }: Kinds) =>
  weighted<Action>([6, replayAll], [2, cancel], [2, replay], [1, emit], [1, remove], [1, powerCut]);

/** Customers come and go, and those who act for them. */
const leaving = ({ close, give, signIn, revoke, emit, register, replayAll, powerCut }: Kinds) =>
  weighted<Action>(
    [3, close],
    [4, give],
    [4, signIn],
    [2, revoke],
    [4, emit],
    [1, register],
    [1, replayAll],
    [1, powerCut],
  );

/** Endpoints come and go, and others are sent what they had. */
const gathering = ({ replayFrom, replayAll, replay, cancel, emit, register, remove, powerCut }: Kinds) =>
  weighted<Action>(
    [6, replayFrom],
    [1, replayAll],
    [1, replay],
    [1, cancel],
    [3, emit],
    [2, register],
    [2, remove],
    [1, powerCut],
  );

const answer: fc.Arbitrary<Answer> = weighted<Answer>([1, fc.constant('ok')], [2, fc.constantFrom(...answers)]);

/** Faults of one kind of point. A run has some dozens of requests and a few of everything else. */
const faultAt = (point: FaultPoint, gap: fc.Arbitrary<number>): fc.Arbitrary<Fault> =>
  fc.record({ gap, kind: fc.constantFrom(...faultKinds[point]) });

const fault: fc.Arbitrary<Fault> = weighted(
  [5, faultAt('request', fc.oneof(fc.nat(4), fc.nat(25), fc.nat(70)))],
  [2, faultAt('post', fc.nat(4))],
  [2, faultAt('invocation', fc.nat(8))],
  [1, faultAt('send', fc.nat(4))],
  [1, faultAt('receive', fc.nat(5))],
  [1, faultAt('deletion', fc.nat(5))],
  [2, faultAt('firing', fc.nat(2))],
  [1, faultAt('sweep', fc.nat(1))],
);

function scriptsOf(
  action: fc.Arbitrary<Action>,
  endedBefore: fc.Arbitrary<number> = fc.constant(0),
): fc.Arbitrary<Script> {
  return fc.record({
    seed: fc.nat(2 ** 31 - 1),
    endpoints: fc.tuple(fc.constantFrom(1, 2, 4), fc.nat(1)),
    slowBefore: weighted([2, fc.constant(false)], [1, fc.constant(true)]),
    endedBefore: fc.record({ events: endedBefore, as: replayable }),
    retentionDays: weighted([2, fc.constant(null)], [1, fc.constant(1)]),
    deletedBefore: weighted([5, fc.constant(0)], [1, fc.constant(40)]),
    receivers: fc.array(fc.array(answer, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 2 }),
    handshakes: fc.array(answer, { minLength: 1, maxLength: 2 }),
    actions: fc.array(action, { minLength: 1, maxLength: 7, size: 'max' }),
    faults: weighted<readonly Fault[]>([1, fc.constant([])], [6, fc.array(fault, { maxLength: 16, size: 'max' })]),
    stormLasts: fc.oneof(fc.constant(0), fc.nat(minute), fc.nat(2 * hour)),
    endsWithPowerCut: fc.boolean(),
    maxReceiveCount: weighted([3, fc.constant(earlyReturns + 100)], [1, fc.constant(5)]),
  });
}

const long = kindsOf(anyPause, fc.nat(11));
const burst = kindsOf(fc.nat(second / 2), fc.constant(0));

/** Stories over hours and days, and bursts in which everything happens at once to the newest records. */
export const scripts: fc.Arbitrary<Script> = weighted(
  [9, scriptsOf(everyDay(long))],
  [3, scriptsOf(everyDay(burst))],
  [2, scriptsOf(replaying(long), fc.constantFrom(2, 5))],
  [1, scriptsOf(replaying(burst), fc.constant(5))],
  [2, scriptsOf(leaving(long))],
);

/** Events over hours, and faults. */
export const eventScripts: fc.Arbitrary<Script> = scriptsOf(long.emit);

/** Calls with a key, most of which are repeated. */
const keyed = (() => {
  const { register, rotate, replay, replayAll, cancel } = kindsOf(anyPause, fc.nat(2));
  type Call = Extract<Action, { times: number; keyed?: boolean }>;
  const call = weighted<Call>([4, register], [3, rotate], [3, replay], [2, replayAll], [1, cancel]);
  return fc.tuple(call, fc.constantFrom(1, 2, 4)).map(([action, times]) => ({ ...action, times, keyed: true }));
})();

/** Clients that send a key with each request, and repeat it as long as its answer is lost. */
export const keyedScripts: fc.Arbitrary<Script> = scriptsOf(
  weighted<Action>([4, keyed], [1, everyDay(long)]),
  fc.constantFrom(0, 2),
);

/** Customers send the events of one endpoint to another one. */
export const gatheringScripts: fc.Arbitrary<Script> = weighted(
  [2, scriptsOf(gathering(long), fc.constantFrom(0, 2, 5))],
  [1, scriptsOf(gathering(burst), fc.constant(5))],
);

/** A story of one endpoint that begins with failed deliveries. No fault strikes. */
function quietStory(
  events: number,
  receiver: fc.Arbitrary<readonly Answer[]>,
  actions: fc.Arbitrary<readonly Action[]>,
): fc.Arbitrary<Script> {
  return fc.record({
    seed: fc.nat(2 ** 31 - 1),
    endpoints: fc.constant([1, 0] as const),
    endedBefore: fc.constant({ events, as: 'failed' } as const),
    receivers: fc.tuple(receiver),
    handshakes: fc.constant(['ok'] as const),
    actions,
    faults: fc.constant([]),
    stormLasts: fc.constant(2 * hour),
    endsWithPowerCut: fc.constant(false),
    maxReceiveCount: fc.constant(earlyReturns + 100),
  });
}

const replayAll = (after: number): Action => {
  return { after, do: 'replay_all', pick: 0, times: 1, stranger: false, status: 'failed' };
};

/** The last attempts of many replays at one endpoint, whose outcomes differ and overlap. */
export const overlappingScripts = quietStory(
  12,
  fc.array(fc.constantFrom<Answer>('ok', 'ok_slow', 'error', 'hang'), { minLength: 2, maxLength: 4 }),
  fc.constant([replayAll(0)]),
);

/** Single replays of a few events, most of which fail, before and between bulk replays. */
export const replayedScripts = quietStory(
  2,
  fc.constantFrom<readonly Answer[]>(['error'], ['error', 'error', 'error', 'error', 'ok']),
  fc
    .array(
      fc.record({
        after: fc.constantFrom(0, 80 * minute),
        do: fc.constant('replay'),
        pick: fc.nat(5),
        times: fc.constantFrom(1, 2),
        stranger: fc.constant(false),
      }),
      { minLength: 1, maxLength: 4 },
    )
    .map((replays) => [...replays, replayAll(80 * minute), replayAll(80 * minute)]),
);

/** A burst at an endpoint that answers late, which is deleted while attempts wait for their turn. */
export const deletedScripts = quietStory(
  12,
  fc.constantFrom<readonly Answer[]>(['ok_slow'], ['ok_slow', 'ok_after_a_second']),
  fc.integer({ min: second, max: 40 * second }).map((after): readonly Action[] => [
    ...Array.from({ length: 12 }, (_, pick): Action => {
      return { after: 0, do: 'replay', pick, times: 1, stranger: false };
    }),
    { after, do: 'delete', pick: 0, times: 1, stranger: false },
  ]),
);
