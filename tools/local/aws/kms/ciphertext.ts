import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import { AwsError } from '../aws-api.ts';

/** Names and values that are authenticated with a ciphertext but not part of it. */
export type EncryptionContext = Readonly<Record<string, string>>;

const version = 1;
const ivLength = 12;
const tagLength = 16;

/**
 * Encrypts with AES-256-GCM. The result is one version byte, the length and text of the key id, the initialization
 * vector, the tag and the encrypted bytes. The head and the context are authenticated with them.
 *
 * @param iv 12 bytes, never reused with this key
 */
export function seal(
  key: { readonly id: string; readonly material: KeyObject },
  plaintext: Buffer,
  context: EncryptionContext,
  iv: Buffer,
): Buffer {
  const id = Buffer.from(key.id);
  const head = Buffer.concat([Buffer.from([version, id.length]), id]);
  const cipher = createCipheriv('aes-256-gcm', key.material, iv).setAAD(additionalData(head, context));
  const encrypted = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([head, iv, cipher.getAuthTag(), encrypted]);
}

/**
 * The id of the key that encrypted a ciphertext.
 *
 * @throws AwsError InvalidCiphertextException when `seal` did not create it
 */
export function keyIdOf(blob: Buffer): string {
  const length = blob[1] ?? 0;
  if (blob[0] !== version || blob.length < 2 + length + ivLength + tagLength) throw invalidCiphertext();
  return blob.toString('utf8', 2, 2 + length);
}

/**
 * Decrypts a result of `seal`.
 *
 * @throws AwsError InvalidCiphertextException when a byte or the context differs
 */
export function open(material: KeyObject, blob: Buffer, context: EncryptionContext): Buffer {
  const ivStart = 2 + Buffer.byteLength(keyIdOf(blob));
  const tagStart = ivStart + ivLength;
  const start = tagStart + tagLength;
  try {
    const decipher = createDecipheriv('aes-256-gcm', material, blob.subarray(ivStart, tagStart), {
      authTagLength: tagLength,
    });
    decipher.setAAD(additionalData(blob.subarray(0, ivStart), context));
    decipher.setAuthTag(blob.subarray(tagStart, start));
    return Buffer.concat([decipher.update(blob.subarray(start)), decipher.final()]);
  } catch {
    throw invalidCiphertext();
  }
}

/** Sorts the pairs, because their order must not matter, and writes JSON, so that their boundaries are unambiguous. */
function additionalData(head: Buffer, context: EncryptionContext): Buffer {
  const pairs = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.concat([head, Buffer.from(JSON.stringify(pairs))]);
}

export function invalidCiphertext(): AwsError {
  return new AwsError('InvalidCiphertextException', 'The ciphertext or its encryption context is wrong');
}
