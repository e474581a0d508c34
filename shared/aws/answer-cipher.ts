import { createCipheriv, createDecipheriv } from 'node:crypto';
import { DecryptCommand, EncryptCommand, type KMSClient } from '@aws-sdk/client-kms';
import type { RequestKey } from '#shared/domain/request-key.ts';
import type { DecryptAnswer, EncryptAnswer } from '#shared/operations/customer/do-once.ts';
import type { RandomBytes } from '#shared/operations/ports.ts';

/**
 * Encrypts answers, which may hold a signing secret. KMS takes 4 KB at most, so it encrypts a key for one answer, and is
 * told whose answer it is: neither can be read under another key or customer.
 */
const algorithm = 'aes-256-gcm';
const sizes = { key: 32, nonce: 12, tag: 16 } as const;

export function encryptAnswer(client: KMSClient, keyArn: string, randomBytes: RandomBytes): EncryptAnswer {
  return async (body, key) => {
    const dataKey = randomBytes(sizes.key);
    const nonce = randomBytes(sizes.nonce);
    const cipher = createCipheriv(algorithm, dataKey, nonce);
    const text = Buffer.concat([cipher.update(body, 'utf8'), cipher.final()]);
    const { CiphertextBlob } = await client.send(
      new EncryptCommand({ KeyId: keyArn, Plaintext: dataKey, EncryptionContext: contextOf(key) }),
    );
    if (CiphertextBlob === undefined) throw new Error('Cannot encrypt an answer: KMS returned no ciphertext');
    const sealed = Buffer.concat([nonce, cipher.getAuthTag(), text]);
    return `${Buffer.from(CiphertextBlob).toString('base64')}.${sealed.toString('base64')}`;
  };
}

export function decryptAnswer(client: KMSClient, keyArn: string): DecryptAnswer {
  return async (sealedAnswer, key) => {
    const [wrapped = '', sealed = ''] = sealedAnswer.split('.').map((part) => Buffer.from(part, 'base64'));
    const { Plaintext } = await client.send(
      new DecryptCommand({
        KeyId: keyArn,
        CiphertextBlob: Buffer.from(wrapped),
        EncryptionContext: contextOf(key),
      }),
    );
    if (Plaintext === undefined) throw new Error('Cannot decrypt an answer: KMS returned no plaintext');
    const bytes = Buffer.from(sealed);
    const tagAt = sizes.nonce;
    const decipher = createDecipheriv(algorithm, Plaintext, bytes.subarray(0, tagAt));
    decipher.setAuthTag(bytes.subarray(tagAt, tagAt + sizes.tag));
    const text = Buffer.concat([decipher.update(bytes.subarray(tagAt + sizes.tag)), decipher.final()]);
    return text.toString('utf8');
  };
}

function contextOf({ customerId, digest }: RequestKey): Record<string, string> {
  return { customer_id: customerId, request_key: digest };
}
