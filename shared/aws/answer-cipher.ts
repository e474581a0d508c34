import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { KMSClient } from '@aws-sdk/client-kms';
import type { RequestKey } from '#shared/domain/request-key.ts';
import type { DecryptAnswer, EncryptAnswer, RandomBytes } from '#shared/operations/ports.ts';
import { decryptBytes, encryptBytes } from './kms.ts';

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
    const wrapped = await encryptBytes(client, keyArn, dataKey, contextOf(key));
    const sealed = Buffer.concat([nonce, cipher.getAuthTag(), text]);
    return `${wrapped}.${sealed.toString('base64')}`;
  };
}

export function decryptAnswer(client: KMSClient, keyArn: string): DecryptAnswer {
  return async (sealedAnswer, key) => {
    const [wrapped = '', sealed = ''] = sealedAnswer.split('.');
    const dataKey = await decryptBytes(client, keyArn, wrapped, contextOf(key));
    const bytes = Buffer.from(sealed, 'base64');
    const tagAt = sizes.nonce;
    const decipher = createDecipheriv(algorithm, dataKey, bytes.subarray(0, tagAt));
    decipher.setAuthTag(bytes.subarray(tagAt, tagAt + sizes.tag));
    const text = Buffer.concat([decipher.update(bytes.subarray(tagAt + sizes.tag)), decipher.final()]);
    return text.toString('utf8');
  };
}

/** By the names, permissions tell answers to customers from those to the operator, which hold API keys. */
function contextOf({ customerId, digest, usedBy }: RequestKey): Record<string, string> {
  const name = usedBy === 'operator' ? 'operator_request_key' : 'request_key';
  return { customer_id: customerId, [name]: digest };
}
