import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deliveryId, deliveryPartition, digest, eventId, maxDeliveryPartitions } from '#shared/domain/derived-id.ts';
import { idTime, isOwnId } from '#shared/domain/ids.ts';
import { startOfTest } from '../../support/values/builders.ts';

describe('eventId()', () => {
  const id = eventId('cus_a', 'run.completed', 'run_1', startOfTest);

  it('returns the same id for the same subject', () => {
    expect(eventId('cus_a', 'run.completed', 'run_1', startOfTest)).toBe(id);
    expect(isOwnId('event', id)).toBe(true);
    expect(idTime(id)).toBe(startOfTest);
  });

  it.each([
    ['customer', eventId('cus_b', 'run.completed', 'run_1', startOfTest)],
    ['type', eventId('cus_a', 'tracker.changed', 'run_1', startOfTest)],
    ['subject', eventId('cus_a', 'run.completed', 'run_2', startOfTest)],
    ['time', eventId('cus_a', 'run.completed', 'run_1', startOfTest + 1)],
  ])('is another for another %s', (_, other) => {
    expect(other).not.toBe(id);
  });
});

const entropy = fc.uint8Array({ minLength: 10, maxLength: 32 });

it('deliveryId() names one of the partitions, for any number of them', () => {
  fc.assert(
    fc.property(entropy, fc.integer({ min: 1, max: maxDeliveryPartitions }), (bytes, partitions) => {
      const id = deliveryId(startOfTest, bytes, partitions);

      expect(isOwnId('delivery', id)).toBe(true);
      expect(idTime(id)).toBe(startOfTest);
      expect(deliveryPartition(id)).toBe((bytes[9] ?? 0) % partitions);
    }),
  );
});

it('digest() depends on where one part ends and the next begins', () => {
  expect(digest('ab', 'c')).not.toEqual(digest('a', 'bc'));
  expect(digest('a", "b')).not.toEqual(digest('a', 'b'));
});
