import type { KMSClient } from '@aws-sdk/client-kms';
import type { DecryptSecret, EncryptSecret, SecretContext } from '#shared/operations/ports.ts';
import { decryptBytes, encryptBytes } from './kms.ts';
import { type CacheSettings, RecentCache } from './recent-cache.ts';

/**
 * Encrypts signing secrets with KMS and binds each to its endpoint: a ciphertext that is copied to another endpoint
 * cannot be decrypted. Every use appears in the audit trail.
 */
export function encryptSecret(client: KMSClient, keyArn: string): EncryptSecret {
  return (secret, context) =>
    encryptBytes(client, keyArn, new TextEncoder().encode(secret), encryptionContext(context));
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
    const secret = decryptBytes(client, keyArn, ciphertext, encryptionContext(context)).then((bytes) =>
      new TextDecoder().decode(bytes),
    );
    decrypted.set(name, secret, at);
    secret.catch(() => decrypted.delete(name));
    return secret;
  };
}

function encryptionContext(context: SecretContext): Record<string, string> {
  return { customer_id: context.customerId, webhook_id: context.webhookId };
}
