import type { KMSClient } from '@aws-sdk/client-kms';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectKeys } from '#shared/aws/clients.ts';
import { decryptSecret, encryptSecret } from '#shared/aws/secret-cipher.ts';
import type { DecryptSecret, EncryptSecret } from '#shared/operations/ports.ts';
import { startKms } from '../../tools/local/aws/kms/start-kms.ts';
import { localAccess } from '../support/aws/emulators.ts';
import { keysClient } from '../support/aws/in-process-clients.ts';
import { immediateIo } from '../support/table/io.ts';
import { customerId, otherWebhookId, webhookId } from '../support/values/builders.ts';
import { testKeyArn } from '../support/values/sealed-secrets.ts';

/** What seals signing secrets, and opens them again in a function that stays warm. */
type SecretPorts = {
  readonly encryptSecret: EncryptSecret;
  readonly decryptSecret: DecryptSecret;
  close(): Promise<void>;
};

describe('the stand-in for KMS in this process', () => secretsSuite(secretsInProcess));
describe('the stand-in for KMS', () => secretsSuite(secretsOverHttp));

const secretsInProcess = async () => secretsOf(keysClient(immediateIo), async () => {});

async function secretsOverHttp(): Promise<SecretPorts> {
  const kms = await startKms({ port: 0, keyArns: [testKeyArn] });
  const address = { ...localAccess, endpoint: kms.url };
  const keys = connectKeys(address);
  return secretsOf(keys, async () => {
    keys.destroy();
    await kms[Symbol.asyncDispose]();
  });
}

function secretsOf(keys: KMSClient, close: SecretPorts['close']): SecretPorts {
  const cache = { maxEntries: 10, timeToLive: 60_000, now: () => 0, monotonic: () => 0 };
  return {
    encryptSecret: encryptSecret(keys, testKeyArn),
    decryptSecret: decryptSecret(keys, testKeyArn, cache),
    close,
  };
}

const context = { customerId, webhookId };
const secret = 'whsec_AAAA';

/** What a cipher of secrets owes those who register, rotate and sign. */
function secretsSuite(connect: () => Promise<SecretPorts>): void {
  let ports: SecretPorts;
  beforeEach(async () => {
    ports = await connect();
  });
  afterEach(() => ports.close());

  it('decryptSecret() opens a secret for the endpoint that it was sealed for, as often as it is asked', async () => {
    const sealed = await ports.encryptSecret(secret, context);

    expect(sealed).not.toBe(secret);
    expect(await ports.decryptSecret(sealed, context)).toBe(secret);
    expect(await ports.decryptSecret(sealed, context)).toBe(secret);
  });

  it.each([
    ['another endpoint', { ...context, webhookId: otherWebhookId }],
    ['another customer', { ...context, customerId: 'cus_other' }],
  ])('decryptSecret() refuses a secret that was sealed for %s', async (_, other) => {
    const sealed = await ports.encryptSecret(secret, other);

    await expect(ports.decryptSecret(sealed, context)).rejects.toThrow();
  });

  it('decryptSecret() refuses a secret that was moved to another endpoint, although it opened it before', async () => {
    const sealed = await ports.encryptSecret(secret, context);
    await ports.decryptSecret(sealed, context);

    await expect(ports.decryptSecret(sealed, { ...context, webhookId: otherWebhookId })).rejects.toThrow();
  });

  it('decryptSecret() refuses text that was never sealed', async () => {
    await expect(ports.decryptSecret(secret, context)).rejects.toThrow();
  });
}
