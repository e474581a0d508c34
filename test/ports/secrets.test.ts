import type { KMSClient } from '@aws-sdk/client-kms';
import { describe } from 'vitest';
import { connectKeys } from '#shared/aws/clients.ts';
import { decryptSecret, encryptSecret } from '#shared/aws/secret-cipher.ts';
import { startKms } from '../../tools/local/aws/kms/start-kms.ts';
import { localAccess } from '../support/aws/emulators.ts';
import { keysClient } from '../support/aws/in-process-clients.ts';
import { immediateIo } from '../support/table/io.ts';
import { testKeyArn } from '../support/values/sealed-secrets.ts';
import { type SecretPorts, secretsSuite } from './secrets-suite.ts';

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
