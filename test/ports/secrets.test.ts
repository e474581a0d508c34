import { KMSClient } from '@aws-sdk/client-kms';
import { describe } from 'vitest';
import { connectKeys } from '#shared/aws/direct/connections.ts';
import { decryptSecret, encryptSecret } from '#shared/aws/secret-cipher.ts';
import { startKms } from '../../local/aws/kms/start-kms.ts';
import { sdkKeyClient } from '../support/aws/sdk-connections.ts';
import type { ClientKind } from '../support/aws/table.ts';
import { testHost } from '../support/aws/test-host.ts';
import { immediateIo } from '../support/memory/io.ts';
import * as memory from '../support/memory/secret-cipher.ts';
import { type SecretPorts, secretsSuite } from './secrets-suite.ts';

describe('the secret cipher in memory', () => secretsSuite(memorySecrets));
describe.each(['direct', 'sdk'] as const)('the stand-in for KMS, by the %s client', (kind) =>
  secretsSuite(() => kmsSecrets(kind)),
);

const now = () => 0;

async function memorySecrets(): Promise<SecretPorts> {
  return {
    encryptSecret: memory.encryptSecret(immediateIo),
    decryptSecret: memory.decryptSecret(immediateIo, new Map(), now),
    close: async () => {},
  };
}

async function kmsSecrets(kind: ClientKind): Promise<SecretPorts> {
  const keyArn = 'arn:aws:kms:us-east-1:000000000000:key/11111111-2222-3333-4444-555555555555';
  const kms = await startKms({ port: 0, keyArns: [keyArn] });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new KMSClient({ endpoint: kms.url, region: 'us-east-1', credentials });
  const keys = kind === 'sdk' ? sdkKeyClient(client) : connectKeys(testHost(kms.url));
  return {
    encryptSecret: encryptSecret(keys, keyArn),
    decryptSecret: decryptSecret(keys, keyArn, { maxEntries: 10, timeToLive: 60_000, now }),
    close: async () => {
      client.destroy();
      await kms[Symbol.asyncDispose]();
    },
  };
}
