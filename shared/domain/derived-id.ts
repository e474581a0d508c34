import { createHash } from 'node:crypto';
import { idAlphabet, idPrefixes, idTimeLength, makeId } from './ids.ts';

/**
 * Ids derived from their subject: a repeated piece of work finds the result of the first one instead of making a
 * second.
 */

/** The id of the event about a subject (a Run, a Change Report): every worker derives the same one. */
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

/** 32 bytes that depend on all the parts and on nothing else. */
export function digest(...parts: readonly string[]): Uint8Array {
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}
