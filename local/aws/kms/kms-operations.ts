import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { keyIdOf, open, seal } from './ciphertext.ts';
import type { Key, KeyRing } from './key-ring.ts';
import { KmsError } from './kms-error.ts';

/** What the operations work on. */
export type KmsContext = {
  readonly ring: KeyRing;
  readonly now: () => number;
  /** Start of the ARN of keys made by CreateKey. */
  readonly arnPrefix: string;
};

const contextSchema = z.record(z.string(), z.string()).default({});
const algorithmSchema = z.literal('SYMMETRIC_DEFAULT').optional();

const encryptSchema = z.object({
  KeyId: z.string().min(1),
  Plaintext: bytesSchema(4096),
  EncryptionContext: contextSchema,
  EncryptionAlgorithm: algorithmSchema,
});
const decryptSchema = z.object({
  KeyId: z.string().min(1).optional(),
  CiphertextBlob: bytesSchema(6144),
  EncryptionContext: contextSchema,
  EncryptionAlgorithm: algorithmSchema,
});
const describeSchema = z.object({ KeyId: z.string().min(1) });

/** The operations that are served, by the name in `X-Amz-Target`. */
export const kmsOperations: Readonly<Record<string, (context: KmsContext, body: unknown) => unknown>> = {
  Encrypt: encrypt,
  Decrypt: decrypt,
  DescribeKey: describeKey,
  CreateKey: createKey,
};

function encrypt({ ring }: KmsContext, body: unknown): unknown {
  const { KeyId, Plaintext, EncryptionContext } = parse(encryptSchema, body);
  const key = ring.find(KeyId);
  const blob = seal(key, Plaintext, EncryptionContext, randomBytes(12));
  return {
    KeyId: key.arn,
    CiphertextBlob: blob.toString('base64'),
    EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
  };
}

function decrypt({ ring }: KmsContext, body: unknown): unknown {
  const { KeyId, CiphertextBlob, EncryptionContext } = parse(decryptSchema, body);
  const key = findMaker(ring, CiphertextBlob);
  if (KeyId !== undefined && ring.find(KeyId) !== key) {
    throw new KmsError('IncorrectKeyException', `The ciphertext was not made with key ${KeyId}`);
  }
  const plaintext = open(key.material, CiphertextBlob, EncryptionContext);
  return {
    KeyId: key.arn,
    Plaintext: plaintext.toString('base64'),
    EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
  };
}

function describeKey({ ring }: KmsContext, body: unknown): unknown {
  return { KeyMetadata: describe(ring.find(parse(describeSchema, body).KeyId)) };
}

function createKey({ ring, arnPrefix, now }: KmsContext): unknown {
  return { KeyMetadata: describe(ring.create(arnPrefix, now())) };
}

/** A ciphertext that names an unknown key is as unreadable as a damaged one. */
function findMaker(ring: KeyRing, blob: Buffer): Key {
  const id = keyIdOf(blob);
  try {
    return ring.find(id);
  } catch (error) {
    throw new KmsError('InvalidCiphertextException', `No key here made this ciphertext: ${String(error)}`);
  }
}

function describe({ id, arn, createdAt }: Key): unknown {
  return {
    KeyId: id,
    Arn: arn,
    CreationDate: createdAt / 1000,
    Enabled: true,
    KeyState: 'Enabled',
    KeyUsage: 'ENCRYPT_DECRYPT',
    KeySpec: 'SYMMETRIC_DEFAULT',
    EncryptionAlgorithms: ['SYMMETRIC_DEFAULT'],
    Origin: 'AWS_KMS',
    KeyManager: 'CUSTOMER',
  };
}

/** Base64 on the wire, 1 to `limit` bytes. */
function bytesSchema(limit: number) {
  return z
    .base64()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((bytes) => bytes.length >= 1 && bytes.length <= limit, `must be 1 to ${limit} bytes long`);
}

function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new KmsError('ValidationException', z.prettifyError(parsed.error));
}
