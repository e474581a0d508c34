import { createHash } from 'node:crypto';
import { idAlphabet, idPrefixes, idTimeLength, makeId } from './ids.ts';

/** Ids derived from their subject, so that repeated work finds the first result instead of creating a second one. */

/** The id of the event about a subject (a Run, a Change Report): every worker derives the same one. */
export function eventId(customerId: string, type: string, subjectId: string, acceptedAt: number): string {
  return makeId('event', acceptedAt, digest(customerId, type, subjectId));
}

const partitionBits = 5;
/** Maximum number of partition keys for the deliveries of one endpoint. */
export const maxDeliveryPartitions = 2 ** partitionBits;
const partitionCharacter = idPrefixes.delivery.length + idTimeLength;

/**
 * Makes the id of a delivery. Its first character after the time names the partition of the delivery. A delivery is
 * thus found by its id alone, and raising the number of partitions moves no stored delivery.
 *
 * @param createdAt epoch milliseconds
 * @param entropy at least 10 bytes, random or a digest
 * @param partitions number of partition keys for the endpoint's new deliveries, from 1
 */
export function deliveryId(createdAt: number, entropy: Uint8Array, partitions: number): string {
  const partition = (entropy[9] ?? 0) % partitions;
  const id = makeId('delivery', createdAt, entropy);
  return id.slice(0, partitionCharacter) + idAlphabet.charAt(partition) + id.slice(partitionCharacter + 1);
}

/** The partition in the id of a delivery, from 0. */
export function deliveryPartition(id: string): number {
  return idAlphabet.indexOf(id.charAt(partitionCharacter));
}

/** The SHA-256 of a list of texts: 32 bytes. */
export function digest(...parts: readonly string[]): Uint8Array {
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}
