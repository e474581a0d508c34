import { createHash } from 'node:crypto';
import { idAlphabet, idPrefixes, idTimeLength, makeId } from './ids.ts';

/**
 * Ids that follow from what they stand for, so that doing the same work twice finds what was made the first
 * time instead of making another.
 */

/** The id of the event that a subject (a Run, a Change Report) causes, whoever derives it. */
export function eventId(customerId: string, type: string, subjectId: string, acceptedAt: number): string {
  return makeId('event', acceptedAt, digest(customerId, type, subjectId));
}

const partitionBits = 5;
/** Deliveries of one endpoint can be spread over at most this many partition keys. */
export const maxDeliveryPartitions = 2 ** partitionBits;
const partitionCharacter = idPrefixes.delivery.length + idTimeLength;

/**
 * A delivery's id names the partition it is stored in: its first character after the time. A delivery is thus
 * found by its id alone, and raising the number of partitions moves nothing that is stored.
 *
 * @param entropy at least 10 bytes, random or a digest
 * @param partitions how many partition keys the endpoint's new deliveries are spread over, from 1
 */
export function deliveryId(createdAt: number, entropy: Uint8Array, partitions: number): string {
  const partition = (entropy[9] ?? 0) % partitions;
  const id = makeId('delivery', createdAt, entropy);
  return id.slice(0, partitionCharacter) + idAlphabet.charAt(partition) + id.slice(partitionCharacter + 1);
}

/** The partition that a delivery's id names. */
export function deliveryPartition(id: string): number {
  return idAlphabet.indexOf(id.charAt(partitionCharacter));
}

/** Ten and more bytes that depend on all the parts and on nothing else. */
export function digest(...parts: readonly string[]): Uint8Array {
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}
