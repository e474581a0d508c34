import { describe } from 'vitest';
import { connectKeys } from '#shared/aws/clients.ts';
import { decryptSecret, encryptSecret } from '#shared/aws/secret-cipher.ts';
import { startKms } from '../../tools/local/aws/kms/start-kms.ts';
import { localAccess } from '../support/aws/emulators.ts';
import { immediateIo } from '../support/table/io.ts';
import * as memory from '../support/values/sealed-secrets.ts';
import { type SecretPorts, secretsSuite } from './secrets-suite.ts';

describe('the secret cipher in memory', () => secretsSuite(memorySecrets));
describe('the stand-in for KMS', () => secretsSuite(kmsSecrets));

const clocks = { now: () => 0, monotonic: () => 0 };

async function memorySecrets(): Promise<SecretPorts> {
  return {
    encryptSecret: memory.encryptSecret(immediateIo),
    decryptSecret: memory.decryptSecret(immediateIo, new Map(), clocks),
    close: async () => {},
  };
}

async function kmsSecrets(): Promise<SecretPorts> {
  const keyArn = 'arn:aws:kms:us-east-1:000000000000:key/11111111-2222-3333-4444-555555555555';
  const kms = await startKms({ port: 0, keyArns: [keyArn] });
  const address = { ...localAccess, endpoint: kms.url };
  const keys = connectKeys(address);
  return {
    encryptSecret: encryptSecret(keys, keyArn),
    decryptSecret: decryptSecret(keys, keyArn, { maxEntries: 10, timeToLive: 60_000, ...clocks }),
    close: async () => {
      keys.destroy();
      await kms[Symbol.asyncDispose]();
    },
  };
}
