import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { AwsError, parseInput, serveAwsCalls } from '../aws-api.ts';
import { keyIdOf, open, seal } from './ciphertext.ts';
import { findKey, type Key, type Keys, openKeys } from './keys.ts';

export type KmsOptions = {
  /** 0 picks a free port. */
  readonly port: number;
  /** ARNs of the keys that must exist. */
  readonly keyArns: readonly string[];
  /** File that keeps the key material after the process ends, mode 0600. Default: new keys in every run. */
  readonly dataFile?: string | undefined;
};

export type RunningKms = AsyncDisposable & { readonly url: string };

const contextSchema = z.record(z.string(), z.string()).default({});

const encryptSchema = z.object({
  KeyId: z.string().min(1),
  Plaintext: bytesSchema(4096),
  EncryptionContext: contextSchema,
});

const decryptSchema = z.object({
  KeyId: z.string().min(1).optional(),
  CiphertextBlob: bytesSchema(6144),
  EncryptionContext: contextSchema,
});

/**
 * Starts a stand-in for KMS with the two calls that the service makes: Encrypt and Decrypt, with real AES-256-GCM bound
 * to the encryption context.
 *
 * @throws Error when the port is in use, an ARN is malformed or the data file is invalid
 */
export async function startKms(options: KmsOptions): Promise<RunningKms> {
  const keys = await openKeys(options.keyArns, options.dataFile);
  const server = await serveAwsCalls(options.port, ({ action, body }) => {
    if (action === 'Encrypt') return encrypt(keys, body);
    if (action === 'Decrypt') return decrypt(keys, body);
    throw new AwsError('UnknownOperationException', `The local KMS does not serve ${action}`);
  });
  return { url: server.url, [Symbol.asyncDispose]: () => server.close() };
}

function encrypt(keys: Keys, body: unknown): object {
  const { KeyId, Plaintext, EncryptionContext } = parseInput(encryptSchema, body);
  const key = findKey(keys, KeyId);
  const blob = seal(key, Plaintext, EncryptionContext, randomBytes(12));
  return {
    KeyId: key.arn,
    CiphertextBlob: blob.toString('base64'),
    EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
  };
}

function decrypt(keys: Keys, body: unknown): object {
  const { KeyId, CiphertextBlob, EncryptionContext } = parseInput(decryptSchema, body);
  const key = keyOfCiphertext(keys, CiphertextBlob);
  if (KeyId !== undefined && findKey(keys, KeyId) !== key) {
    throw new AwsError('IncorrectKeyException', `The ciphertext was not made with key ${KeyId}`);
  }
  const plaintext = open(key.material, CiphertextBlob, EncryptionContext);
  return {
    KeyId: key.arn,
    Plaintext: plaintext.toString('base64'),
    EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
  };
}

/** Treats a ciphertext that names an unknown key like a damaged one. */
function keyOfCiphertext(keys: Keys, blob: Buffer): Key {
  const id = keyIdOf(blob);
  const key = keys.find((each) => each.id === id);
  if (key === undefined) {
    throw new AwsError(
      'InvalidCiphertextException',
      `The ciphertext names the key '${id}', which does not exist`,
    );
  }
  return key;
}

/** Base64 on the wire, 1 to `limit` bytes. */
function bytesSchema(limit: number) {
  return z
    .base64()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((bytes) => bytes.length >= 1 && bytes.length <= limit, `must be 1 to ${limit} bytes long`);
}
