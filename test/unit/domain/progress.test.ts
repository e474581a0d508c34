import { describe, expect, it } from 'vitest';
import { type AuditedDelivery, auditSpan, progressOf } from '#shared/domain/progress.ts';
import { hour, minute, startOfTest as now } from '../../support/values/builders.ts';

/** Pending for a day, without a message, a wake-up or a lease. */
const lost: Omit<AuditedDelivery, 'key'> = {
  status: 'pending',
  createdAt: now - 24 * hour,
  leaseUntil: null,
  dueAt: null,
};

type Case = readonly [of: string, given: Partial<AuditedDelivery>, is: ReturnType<typeof progressOf>];

const withAnyQueues: readonly Case[] = [
  ['one that was delivered', { status: 'delivered' }, 'ended'],
  ['one that failed', { status: 'failed' }, 'ended'],
  ['one that ended, whatever it was before', { status: 'failed', leaseUntil: now + 1 }, 'ended'],
  ['one whose lease runs', { leaseUntil: now + 1 }, 'in_flight'],
  ['one whose lease ends now', { leaseUntil: now }, 'stranded'],
  ['one that is held and should have been woken', { leaseUntil: now + 1, dueAt: now - hour }, 'in_flight'],
  ['one that is to be woken later', { dueAt: now + hour }, 'waiting'],
  ['one whose wake-up is 15 min ago', { dueAt: now - 15 * minute }, 'waiting'],
  ['one whose wake-up is longer ago', { dueAt: now - 15 * minute - 1 }, 'overdue'],
  ['one whose worker died, with a wake-up to come', { leaseUntil: now - 1, dueAt: now + 1 }, 'waiting'],
  ['one in the index from the start of time', { dueAt: 0 }, 'overdue'],
  ['one that was made by a clock ahead', { createdAt: now + minute }, 'queued'],
];
const withEmptyQueues: readonly Case[] = [
  ['one that was made now', { createdAt: now }, 'queued'],
  ['one of almost 15 min', { createdAt: now - 15 * minute + 1 }, 'queued'],
  ['one of 15 min', { createdAt: now - 15 * minute }, 'stranded'],
];
const withMessages: readonly Case[] = [
  ['one of 15 min', { createdAt: now - 15 * minute }, 'queued'],
  ['one of almost 6 h', { createdAt: now - 6 * hour + 1 }, 'queued'],
  ['one of 6 h', { createdAt: now - 6 * hour }, 'stranded'],
  ['a young one whose worker died', { createdAt: now - minute, leaseUntil: now - 1 }, 'queued'],
];

describe('progressOf()', () => {
  it.each([...withAnyQueues, ...withEmptyQueues])('with empty queues, %s: %o is %s', (_, given, is) => {
    expect(progressOf({ ...lost, ...given }, now, true)).toBe(is);
  });

  it.each([...withAnyQueues, ...withMessages])('with messages on a queue, %s: %o is %s', (_, given, is) => {
    expect(progressOf({ ...lost, ...given }, now, false)).toBe(is);
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
