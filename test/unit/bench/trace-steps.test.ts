import { expect, it } from 'vitest';
import type { PlayedEvent } from '../../../tools/bench/support/load.ts';
import { type Step, stepsOf } from '../../../tools/bench/trace/steps.ts';

const event = { runId: 'run_1', customer: 'cus_1', acceptedAt: 100, arrivedAt: 120 };
const invocation = (name: string, from: number, to: number): Step => ({
  kind: 'invocation',
  caller: name,
  name: `queue/${name}`,
  from,
  to,
});
const call = (caller: string, name: string, from: number, to: number): Step => ({
  kind: 'call',
  caller,
  name,
  from,
  to,
});

const [intake, deliver] = [invocation('intake', 101, 108), invocation('deliver', 109, 130)];
const steps: readonly Step[] = [
  // Invocations are known when they end, and calls of another event are no part of this one.
  call('intake', 'Query', 90, 91),
  call('intake', 'Query', 102, 103),
  call('intake', 'Send', 105, 107),
  intake,
  call('deliver', 'Claim', 112, 113),
  call('deliver', 'Record', 121, 122),
  deliver,
  call('list', 'Query', 111, 112),
  invocation('deliver', 140, 150),
];

it('the way of an event is split at the calls of its functions, up to its arrival', () => {
  expect([...(stepsOf(event, steps) ?? [])]).toEqual([
    ['accepted, until intake begins', 1],
    ['code of intake, up to its last call', 3],
    ['intake: Query', 1],
    ['intake: Send', 2],
    ['sent, until deliver begins', 2],
    ['code of deliver, up to its last call', 3],
    ['deliver: Claim', 1],
    ['sign, connect, POST, and the receiver reads it', 7],
    ['in all', 20],
  ]);
});

it.each<[string, Partial<PlayedEvent>, readonly Step[]]>([
  ['did not arrive', { arrivedAt: null }, steps],
  ['shared its time with another delivery', {}, [...steps, invocation('deliver', 115, 135)]],
  ['was taken in before the steps began', {}, [deliver]],
])('an event that %s is not traced', (_what, given, seen) => {
  expect(stepsOf({ ...event, ...given }, seen)).toBeNull();
});
