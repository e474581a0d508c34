import { describe, expect, it } from 'vitest';
import { type AuditedDelivery, auditSpan, longestOnQueue, progressOf } from '#shared/domain/progress.ts';
import { hour, minute, startOfTest as now } from '../../support/values/builders.ts';

/** Pending for a day, without a message, a wake-up or a lease. */
const lost: Omit<AuditedDelivery, 'key'> = {
  status: 'pending',
  createdAt: now - 24 * hour,
  leaseUntil: null,
  dueAt: null,
};

type Case = {
  readonly of: string;
  readonly given: Partial<AuditedDelivery>;
  readonly queuesAreEmpty?: boolean;
  readonly is: ReturnType<typeof progressOf>;
};

const cases: readonly Case[] = [
  { of: 'one that was delivered', given: { status: 'delivered' }, is: 'ended' },
  { of: 'one that failed', given: { status: 'failed' }, is: 'ended' },
  {
    of: 'one that ended, whatever it was before',
    given: { status: 'failed', leaseUntil: now + 1 },
    is: 'ended',
  },
  { of: 'one whose lease runs', given: { leaseUntil: now + 1 }, is: 'in_flight' },
  { of: 'one whose lease ends now', given: { leaseUntil: now }, is: 'stranded' },
  {
    of: 'one that is held and should have been woken',
    given: { leaseUntil: now + 1, dueAt: now - hour },
    is: 'in_flight',
  },
  { of: 'one that is to be woken later', given: { dueAt: now + hour }, is: 'waiting' },
  { of: 'one whose wake-up is 15 min ago', given: { dueAt: now - 15 * minute }, is: 'waiting' },
  { of: 'one whose wake-up is longer ago', given: { dueAt: now - 15 * minute - 1 }, is: 'overdue' },
  {
    of: 'one whose worker died, with a wake-up to come',
    given: { leaseUntil: now - 1, dueAt: now + 1 },
    is: 'waiting',
  },
  { of: 'one in the index from the start of time', given: { dueAt: 0 }, is: 'overdue' },
  { of: 'one that was made now', given: { createdAt: now }, queuesAreEmpty: true, is: 'queued' },
  { of: 'one that was made by a clock ahead', given: { createdAt: now + minute }, is: 'queued' },
  {
    of: 'one of almost 15 min',
    given: { createdAt: now - 15 * minute + 1 },
    queuesAreEmpty: true,
    is: 'queued',
  },
  { of: 'one of 15 min', given: { createdAt: now - 15 * minute }, queuesAreEmpty: true, is: 'stranded' },
  { of: 'one of 15 min', given: { createdAt: now - 15 * minute }, queuesAreEmpty: false, is: 'queued' },
  { of: 'one of almost 6 h', given: { createdAt: now - 6 * hour + 1 }, queuesAreEmpty: false, is: 'queued' },
  { of: 'one of almost 6 h', given: { createdAt: now - 6 * hour + 1 }, queuesAreEmpty: true, is: 'stranded' },
  { of: 'one of 6 h', given: { createdAt: now - 6 * hour }, queuesAreEmpty: false, is: 'stranded' },
  {
    of: 'a young one whose worker died',
    given: { createdAt: now - minute, leaseUntil: now - 1 },
    queuesAreEmpty: false,
    is: 'queued',
  },
];

const table = cases.flatMap(({ queuesAreEmpty, ...rest }) =>
  (queuesAreEmpty === undefined ? [true, false] : [queuesAreEmpty]).map((areEmpty) => ({
    ...rest,
    areEmpty,
    queues: areEmpty ? 'empty queues' : 'messages on a queue',
  })),
);

describe('progressOf()', () => {
  it.each(table)('$of is $is, with $queues', ({ given, areEmpty, is }) => {
    expect(progressOf({ ...lost, ...given }, now, areEmpty)).toBe(is);
  });
});

describe('longestOnQueue', () => {
  it('is the age from which a message on a queue no longer explains a pending delivery', () => {
    const made = (age: number) => progressOf({ ...lost, createdAt: now - age }, now, false);

    expect([made(longestOnQueue - 1), made(longestOnQueue)]).toEqual(['queued', 'stranded']);
  });
});

describe('auditSpan()', () => {
  it('returns the time from nine to six hours ago', () => {
    expect(auditSpan(now)).toEqual({ from: now - 9 * hour, to: now - 6 * hour });
  });

  it.each([0, 1, 2, 3])('contains no delivery that may still be queued (%i h before its end)', (hours) => {
    const delivery = { ...lost, createdAt: auditSpan(now).to - hours * hour };

    expect(progressOf(delivery, now, false)).toBe('stranded');
  });
});
