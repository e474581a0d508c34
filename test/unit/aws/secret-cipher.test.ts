import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { beforeEach, describe, expect, it } from 'vitest';
import { decryptSecret, encryptSecret } from '#shared/aws/secret-cipher.ts';
import type { DecryptSecret } from '#shared/operations/ports.ts';
import { commandsOf, unexpected, useMock } from '../../support/aws/aws-mocks.ts';

const keyArn = 'arn:aws:kms:us-east-1:123456789012:key/1';
const context = { customerId: 'cus_1', webhookId: 'whe_1' };
const bytes = (text: string) => new TextEncoder().encode(text);
const sealed = (text: string) => Buffer.from(text).toString('base64');

const client = new KMSClient({ region: 'us-east-1' });
const mock = useMock(client);
let time = 0;
let open: DecryptSecret;
beforeEach(() => {
  time = 0;
  const now = () => time;
  open = decryptSecret(client, keyArn, { maxEntries: 2, timeToLive: 1000, now, monotonic: now });
});

describe('encryptSecret(), decryptSecret()', () => {
  const ciphertext = bytes('ciphertext');
  const Plaintext = bytes('whsec_x');
  const named = { KeyId: keyArn, EncryptionContext: { customer_id: 'cus_1', webhook_id: 'whe_1' } };

  it('encrypts under a context that names customer and endpoint, and decrypts under the same', async () => {
    mock.on(EncryptCommand).resolves({ CiphertextBlob: ciphertext });
    mock.on(DecryptCommand).resolves({ Plaintext });

    expect(await encryptSecret(client, keyArn)('whsec_x', context)).toBe(sealed('ciphertext'));
    expect(await open(sealed('ciphertext'), context)).toBe('whsec_x');

    expect(commandsOf(mock)).toEqual([
      { EncryptCommand: { ...named, Plaintext } },
      { DecryptCommand: { ...named, CiphertextBlob: Buffer.from(ciphertext) } },
    ]);
  });

  it('throws when KMS fails, or responds without a text', async () => {
    const encrypt = () => encryptSecret(client, keyArn)('whsec_x', context);
    await expect(encrypt()).rejects.toBe(unexpected);

    mock.on(EncryptCommand).resolves({});
    mock.on(DecryptCommand).resolves({});

    await expect(encrypt()).rejects.toThrow('no ciphertext');
    await expect(open(sealed('a'), context)).rejects.toThrow('no plaintext');
  });
});

describe('the cache of decryptSecret()', () => {
  const opened = () => mock.commandCalls(DecryptCommand).length;
  beforeEach(() => {
    // Decrypts every ciphertext to the same text.
    mock.on(DecryptCommand).callsFake(({ CiphertextBlob }) => ({ Plaintext: CiphertextBlob }));
  });

  it('calls KMS once while it caches a secret, also for two calls at once', async () => {
    const first = await Promise.all([open(sealed('a'), context), open(sealed('a'), context)]);
    time = 999;
    const later = await open(sealed('a'), context);

    expect([...first, later]).toEqual(['a', 'a', 'a']);
    expect(opened()).toBe(1);

    time = 1000;
    await open(sealed('a'), context);

    expect(opened()).toBe(2);
  });

  it('caches a secret by its ciphertext, so a rotated secret is decrypted again, and no more than its limit', async () => {
    for (const name of ['old', 'new', 'old']) expect(await open(sealed(name), context)).toBe(name);
    expect(opened()).toBe(2);

    for (const name of ['third', 'old']) await open(sealed(name), context);
    expect(opened()).toBe(4);
  });

  it('does not cache a failure', async () => {
    mock
      .on(DecryptCommand)
      .rejectsOnce(unexpected)
      .resolves({ Plaintext: bytes('whsec_x') });

    await expect(open(sealed('a'), context)).rejects.toBe(unexpected);

    expect(await open(sealed('a'), context)).toBe('whsec_x');
  });
});
