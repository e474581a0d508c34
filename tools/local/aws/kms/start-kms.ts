import { createSecretKey, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { keep, readKept } from '../../stack/kept-file.ts';
import { AwsError, parseInput, type RunningService, serveAwsCalls } from '../aws-api.ts';
import { type Key, Keys } from './keys.ts';

export type KmsOptions = {
  /** 0 picks a free port. */
  readonly port: number;
  /** ARNs of the keys that must exist. */
  readonly keyArns: readonly string[];
  /** File that keeps the key material after the process ends, mode 0600. Default: new keys in every run. */
  readonly dataFile?: string | undefined;
};

const keptSchema = z.object({ keys: z.array(z.object({ arn: z.string(), material: z.base64() })) });

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
 * @throws Error when the port is in use or the data file is invalid
 */
export async function startKms({ port, keyArns, dataFile }: KmsOptions): Promise<RunningService> {
  const keys = new Keys(await openKeys(keyArns, dataFile));
  return await serveAwsCalls(port, ({ action, body }) => {
    if (action === 'Encrypt') return encrypt(keys, parseInput(encryptSchema, body));
    if (action === 'Decrypt') return decrypt(keys, parseInput(decryptSchema, body));
    throw new AwsError('UnknownOperationException', `The local KMS does not serve ${action}`);
  });
}

/** Loads the keys of the given ARNs and creates missing ones. Without a file, all keys are new. */
async function openKeys(arns: readonly string[], file: string | undefined): Promise<readonly Key[]> {
  const kept = (file === undefined ? undefined : await readKept(file, keptSchema))?.keys ?? [];
  const missing = arns.filter((arn) => kept.every((key) => key.arn !== arn));
  const keys = [...kept, ...missing.map((arn) => ({ arn, material: randomBytes(32).toString('base64') }))];
  if (file !== undefined && missing.length > 0) await keep(file, { keys });
  return keys.map(({ arn, material }) => ({
    id: arn.replace(/^.*\//, ''),
    arn,
    material: createSecretKey(material, 'base64'),
  }));
}

function encrypt(keys: Keys, input: z.infer<typeof encryptSchema>): object {
  const { CiphertextBlob, ...rest } = keys.encrypt(input);
  return { ...rest, CiphertextBlob: CiphertextBlob.toString('base64') };
}

function decrypt(keys: Keys, input: z.infer<typeof decryptSchema>): object {
  const { Plaintext, ...rest } = keys.decrypt(input);
  return { ...rest, Plaintext: Plaintext.toString('base64') };
}

/** Base64 on the wire, 1 to `limit` bytes. */
function bytesSchema(limit: number) {
  return z
    .base64()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((bytes) => bytes.length >= 1 && bytes.length <= limit, `must be 1 to ${limit} bytes long`);
}
