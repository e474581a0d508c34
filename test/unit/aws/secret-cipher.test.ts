import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { decryptSecret, encryptSecret } from '#shared/aws/secret-cipher.ts';
import { commandsOf, unexpected } from '../../support/aws/aws-mocks.ts';

const keyArn = 'arn:aws:kms:us-east-1:123456789012:key/1';
const context = { customerId: 'cus_1', webhookId: 'whe_1' };
const encryptionContext = { customer_id: 'cus_1', webhook_id: 'whe_1' };
const bytes = (text: string) => new TextEncoder().encode(text);
const sealed = (text: string) => Buffer.from(text).toString('base64');

function setUp({ maxEntries = 2, timeToLive = 1000 } = {}) {
  const kms = new KMSClient({ region: 'us-east-1' });
  const client = kms;
  const mock = mockClient(kms);
  mock.rejects(unexpected);
  const clock = { time: 0 };
  const now = () => clock.time;
  const open = decryptSecret(client, keyArn, { maxEntries, timeToLive, now, monotonic: now });
  return { client, mock, clock, open };
}

/** Decrypts every ciphertext to the same text. */
function echoing(options?: { maxEntries?: number; timeToLive?: number }) {
  const world = setUp(options);
  world.mock.on(DecryptCommand).callsFake(({ CiphertextBlob }) => ({ Plaintext: CiphertextBlob }));
  const opened = () => world.mock.commandCalls(DecryptCommand).length;
  return { ...world, opened };
}

describe('encryptSecret()', () => {
  it('encrypts under a context that names customer and endpoint', async () => {
    const { client, mock } = setUp();
    mock.on(EncryptCommand).resolves({ CiphertextBlob: bytes('ciphertext') });

    expect(await encryptSecret(client, keyArn)('whsec_x', context)).toBe(sealed('ciphertext'));

    expect(commandsOf(mock)).toEqual([
      {
        EncryptCommand: {
          KeyId: keyArn,
          Plaintext: bytes('whsec_x'),
          EncryptionContext: encryptionContext,
        },
      },
    ]);
  });

  it('throws when KMS fails, or responds without a ciphertext', async () => {
    const { client, mock } = setUp();
    await expect(encryptSecret(client, keyArn)('whsec_x', context)).rejects.toBe(unexpected);

    mock.on(EncryptCommand).resolves({});

    await expect(encryptSecret(client, keyArn)('whsec_x', context)).rejects.toThrow('no ciphertext');
  });
});

describe('decryptSecret()', () => {
  it('decrypts under the same context, with the key that is configured', async () => {
    const { mock, open } = setUp();
    mock.on(DecryptCommand).resolves({ Plaintext: bytes('whsec_x') });

    expect(await open(sealed('ciphertext'), context)).toBe('whsec_x');

    expect(commandsOf(mock)).toEqual([
      {
        DecryptCommand: {
          KeyId: keyArn,
          CiphertextBlob: Buffer.from('ciphertext'),
          EncryptionContext: encryptionContext,
        },
      },
    ]);
  });

  it('calls KMS once while it caches a secret, also for two calls at once', async () => {
    const { clock, open, opened } = echoing();

    const first = await Promise.all([open(sealed('a'), context), open(sealed('a'), context)]);
    clock.time = 999;
    const later = await open(sealed('a'), context);

    expect([...first, later]).toEqual(['a', 'a', 'a']);
    expect(opened()).toBe(1);

    clock.time = 1000;
    await open(sealed('a'), context);

    expect(opened()).toBe(2);
  });

  it('caches no more secrets than its limit, and drops the oldest first', async () => {
    const { open, opened } = echoing();
    for (const name of ['a', 'b', 'c']) await open(sealed(name), context);
    expect(opened()).toBe(3);

    await open(sealed('b'), context);
    await open(sealed('c'), context);
    expect(opened()).toBe(3);

    await open(sealed('a'), context);
    expect(opened()).toBe(4);
  });

  it('caches a secret by its ciphertext, so a rotated secret is decrypted again', async () => {
    const { open, opened } = echoing();

    expect(await open(sealed('old'), context)).toBe('old');
    expect(await open(sealed('new'), context)).toBe('new');
    expect(await open(sealed('old'), context)).toBe('old');

    expect(opened()).toBe(2);
  });

  it('does not use a cached secret for the same ciphertext of another endpoint', async () => {
    const { open, opened } = echoing();
    await open(sealed('a'), context);

    await open(sealed('a'), { ...context, webhookId: 'whe_2' });

    expect(opened()).toBe(2);
  });

  it('does not cache a failure', async () => {
    const { mock, open } = setUp();
    mock
      .on(DecryptCommand)
      .rejectsOnce(unexpected)
      .resolves({ Plaintext: bytes('whsec_x') });

    await expect(open(sealed('a'), context)).rejects.toBe(unexpected);

    expect(await open(sealed('a'), context)).toBe('whsec_x');
  });

  it('throws when KMS responds without a plaintext', async () => {
    const { mock, open } = setUp();
    mock.on(DecryptCommand).resolves({});

    await expect(open(sealed('a'), context)).rejects.toThrow('no plaintext');
  });
});
