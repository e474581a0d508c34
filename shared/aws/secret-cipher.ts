import { DecryptCommand, EncryptCommand, type KMSClient } from '@aws-sdk/client-kms';
import type { DecryptSecret, EncryptSecret, SecretContext } from '#shared/operations/ports.ts';
import { type CacheSettings, RecentCache } from './recent-cache.ts';

/**
 * Encrypts signing secrets with KMS and binds each to its endpoint: a ciphertext that is copied to another endpoint
 * cannot be decrypted. Every use appears in the audit trail.
 */
export function encryptSecret(client: KMSClient, keyArn: string): EncryptSecret {
  return async (secret, context) => {
    const { CiphertextBlob } = await client.send(
      new EncryptCommand({
        KeyId: keyArn,
        Plaintext: new TextEncoder().encode(secret),
        EncryptionContext: encryptionContext(context),
      }),
    );
    if (CiphertextBlob === undefined) throw new Error('Cannot encrypt a secret: KMS returned no ciphertext');
    return Buffer.from(CiphertextBlob).toString('base64');
  };
}

/**
 * Decrypts secrets and caches them by ciphertext. A rotation replaces the ciphertext, so the cache never serves a
 * secret that the endpoint no longer has.
 */
export function decryptSecret(
  client: KMSClient,
  keyArn: string,
  settings: CacheSettings<Promise<string>>,
): DecryptSecret {
  const decrypted = new RecentCache<Promise<string>>(settings);
  return (ciphertext, context) => {
    const name = `${context.webhookId} ${ciphertext}`;
    const at = decrypted.moment();
    const known = decrypted.get(name, at);
    if (known !== undefined) return known;
    const secret = decrypt(client, keyArn, ciphertext, context);
    decrypted.set(name, secret, at);
    secret.catch(() => decrypted.delete(name));
    return secret;
  };
}

async function decrypt(
  client: KMSClient,
  keyArn: string,
  ciphertext: string,
  context: SecretContext,
): Promise<string> {
  const { Plaintext } = await client.send(
    new DecryptCommand({
      KeyId: keyArn,
      CiphertextBlob: Buffer.from(ciphertext, 'base64'),
      EncryptionContext: encryptionContext(context),
    }),
  );
  if (Plaintext === undefined) throw new Error('Cannot decrypt a secret: KMS returned no plaintext');
  return new TextDecoder().decode(Plaintext);
}

function encryptionContext(context: SecretContext): Record<string, string> {
  return { customer_id: context.customerId, webhook_id: context.webhookId };
}
