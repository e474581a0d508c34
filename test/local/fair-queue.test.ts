import { describe, expect, it } from 'vitest';
import { FairOrder } from '../../tools/local/aws/sqs/fair-queue.ts';

type Message = { readonly group: string | null; readonly name: string };

const message = (name: string): Message => ({ group: name.split(' ')[0] ?? '', name });

/** A queue in which groups hold messages in flight, and others wait in this order. */
function orderOf(held: Readonly<Record<string, number>>, ...waiting: readonly string[]): FairOrder<Message> {
  const order = new FairOrder<Message>();
  for (const [group, count] of Object.entries(held)) {
    for (let taken = 0; taken < count; taken += 1) order.add({ group, name: '' });
    order.take(count);
  }
  for (const name of waiting) order.add(message(name));
  return order;
}

const namesOf = (messages: readonly Message[]) => messages.map(({ name }) => name);

describe('FairOrder', () => {
  it.each([
    { held: { one: 29 }, isLast: false, why: 'fewer than thirty in flight' },
    { held: { one: 30 }, isLast: true, why: 'thirty in flight, and no other group has any' },
    { held: { one: 30, others: 270 }, isLast: false, why: 'exactly a tenth of what is in flight' },
    { held: { one: 30, others: 269 }, isLast: true, why: 'more than a tenth of what is in flight' },
  ])('serves a group with $why last: $isLast', ({ held, isLast }) => {
    const taken = namesOf(orderOf(held, 'one 1', 'quiet 1').take(2));

    expect(taken).toEqual(isLast ? ['quiet 1', 'one 1'] : ['one 1', 'quiet 1']);
  });

  it('serves the noisy group with fewer messages in flight first', () => {
    expect(namesOf(orderOf({ one: 60, other: 40 }, 'one 1', 'other 1').take(2))).toEqual(['other 1', 'one 1']);
  });

  it('takes the oldest message of all quiet groups first', () => {
    const order = orderOf({ loud: 30 }, 'loud 1', 'quiet 1', 'other 1', 'quiet 2', 'loud 2');

    expect(namesOf(order.take(5))).toEqual(['quiet 1', 'other 1', 'quiet 2', 'loud 1', 'loud 2']);
    expect([order.take(1), order.size]).toEqual([[], 0]);
  });

  it('serves a noisy group in its place again once it is quiet', () => {
    const order = orderOf({ loud: 30 }, 'loud 1', 'quiet 1', 'quiet 2');
    expect(namesOf(order.take(1))).toEqual(['quiet 1']);

    order.end(message('loud'));

    expect(namesOf(order.take(2))).toEqual(['loud 1', 'quiet 2']);
  });

  it('treats each message without a group as a tenant of its own, which is never noisy', () => {
    const order = new FairOrder<Message>();
    for (let number = 0; number < 41; number += 1) order.add({ group: null, name: `${number}` });
    order.take(40);
    order.add(message('quiet'));

    expect(namesOf(order.take(2))).toEqual(['40', 'quiet']);
  });

  it.each([
    ['1,000 messages of one noisy group', () => 'loud'],
    ['1,000 groups', (number: number) => `group ${number}`],
    ['1,000 messages without a group', () => null],
  ])('serves %s in their order', (_case, groupOf) => {
    const order = orderOf({ loud: 30 });
    for (let number = 0; number < 1_000; number += 1) order.add({ group: groupOf(number), name: `${number}` });

    expect(namesOf(order.take(1_000))).toEqual(Array.from({ length: 1_000 }, (_, number) => `${number}`));
  });
});
