import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DecryptCommand,
  EncryptCommand,
  GenerateRandomCommand,
  IncorrectKeyException,
  InvalidCiphertextException,
  KMSClient,
  NotFoundException,
} from '@aws-sdk/client-kms';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type KmsOptions, startKms } from '../../tools/local/aws/kms/start-kms.ts';
import { localAccess } from '../support/aws/emulators.ts';
import { temporaryFolder } from '../support/vitest/temporary-folder.ts';

const keyId = '11111111-2222-3333-4444-555555555555';
const keyArn = `arn:aws:kms:us-east-1:000000000000:key/${keyId}`;
const otherArn = 'arn:aws:kms:us-east-1:000000000000:key/other';
const context = { customer: 'cus_1', webhook: 'wh_1' };
/** The order of the pairs does not matter. */
const sameContext = { webhook: 'wh_1', customer: 'cus_1' };
const secret = Buffer.from('whsec_abc');

let kms: Awaited<ReturnType<typeof startKms>>;
let client: KMSClient;

beforeEach(() => begin());
afterEach(end);

async function begin(options: Partial<KmsOptions> = {}): Promise<void> {
  kms = await startKms({ port: 0, keyArns: [keyArn, otherArn], ...options });
  client = new KMSClient({ ...localAccess, endpoint: kms.url });
}

async function end(): Promise<void> {
  client.destroy();
  await kms[Symbol.asyncDispose]();
}

async function encrypt(key = keyArn): Promise<Uint8Array> {
  const { CiphertextBlob } = await client.send(
    new EncryptCommand({ KeyId: key, Plaintext: secret, EncryptionContext: context }),
  );
  return CiphertextBlob ?? new Uint8Array();
}

const decrypt = (CiphertextBlob: Uint8Array, KeyId?: string) =>
  client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext: sameContext, KeyId }));

// test/ports/secrets.test.ts has what the cipher of secrets owes the service.
describe('Encrypt and Decrypt', () => {
  it.each([keyArn, keyId])('decrypting returns the plaintext that was encrypted under %s', async (key) => {
    const blob = await encrypt(key);

    const { Plaintext, KeyId } = await decrypt(blob, key);

    expect([Buffer.from(Plaintext ?? []), KeyId]).toEqual([secret, keyArn]);
    expect(Buffer.from(blob).includes(secret)).toBe(false);
    expect(blob).not.toEqual(await encrypt(key));
  });

  it('decrypting refuses a ciphertext that was cut, or in which any byte was changed', async () => {
    const blob = await encrypt();
    const changed = Array.from(blob, (byte, n) => Buffer.from(blob).fill(byte ^ 1, n, n + 1));

    for (const tampered of [blob.subarray(0, 20), blob.subarray(0, -1), ...changed])
      await expect(decrypt(tampered)).rejects.toThrow(InvalidCiphertextException);
  });

  it('decrypting refuses the wrong key, and encrypting a key that does not exist', async () => {
    await expect(decrypt(await encrypt(), otherArn)).rejects.toThrow(IncorrectKeyException);
    await expect(encrypt('nobody')).rejects.toThrow(NotFoundException);
    await expect(encrypt(keyArn.replace('us-east-1', 'eu-west-1'))).rejects.toThrow(NotFoundException);
  });

  it.each([
    [4096, true],
    [4097, false],
    [0, false],
  ])('encrypting accepts a plaintext of %i bytes: %s', async (length, taken) => {
    const sent = client.send(new EncryptCommand({ KeyId: keyArn, Plaintext: Buffer.alloc(length, 1) }));

    if (taken) await expect(sent).resolves.toBeDefined();
    else await expect(sent).rejects.toMatchObject({ name: 'ValidationException' });
  });
});

describe('keys', () => {
  it('keys outlive the process in a file that only its owner can read', async () => {
    const dataFile = join(await temporaryFolder(), 'data', 'keys.json');
    await end();
    await begin({ dataFile });
    const blob = await encrypt();
    await end();
    await begin({ dataFile });

    const { Plaintext } = await decrypt(blob);

    expect(Buffer.from(Plaintext ?? [])).toEqual(secret);
    expect((await stat(dataFile)).mode & 0o777).toBe(0o600);
  });

  it('keys are new in every run without a file', async () => {
    const blob = await encrypt();
    await end();
    await begin();

    await expect(decrypt(blob)).rejects.toThrow(InvalidCiphertextException);
  });

  it('keys are never replaced when their file cannot be read', async () => {
    const dataFile = join(await temporaryFolder(), 'keys.json');
    await writeFile(dataFile, '{');

    await expect(startKms({ port: 0, keyArns: [keyArn], dataFile })).rejects.toThrow(dataFile);

    expect(await readFile(dataFile, 'utf8')).toBe('{');
  });
});

it('KMS names an operation that it does not serve', async () => {
  const refused = client.send(new GenerateRandomCommand({ NumberOfBytes: 8 }));

  await expect(refused).rejects.toThrow('The local KMS does not serve GenerateRandom');
});
