import { createSecretKey, hash } from 'node:crypto';
import type { SecretContext } from '#shared/operations/ports.ts';
import { Keys } from '../../../tools/local/aws/kms/keys.ts';

const id = '11111111-2222-3333-4444-555555555555';
export const testKeyArn = `arn:aws:kms:us-east-1:000000000000:key/${id}`;

/** The local KMS with one key. It seals the same secret the same way each time, so that tests can compare rows. */
export const testKeys = new Keys(
  [{ id, arn: testKeyArn, material: createSecretKey(Buffer.alloc(32, id)) }],
  (text, context) => hash('sha256', `${text.toString('base64')} ${JSON.stringify(context)}`, 'buffer').subarray(0, 12),
);

/** A secret as it is stored for an endpoint. */
export function sealed(secret: string, context: SecretContext): string {
  const EncryptionContext = contextOf(context);
  const { CiphertextBlob } = testKeys.encrypt({
    KeyId: testKeyArn,
    Plaintext: Buffer.from(secret),
    EncryptionContext,
  });
  return CiphertextBlob.toString('base64');
}

/** @throws AwsError when it was sealed for another endpoint */
export function unsealed(text: string, context: SecretContext): string {
  const EncryptionContext = contextOf(context);
  const { Plaintext } = testKeys.decrypt({ CiphertextBlob: Buffer.from(text, 'base64'), EncryptionContext });
  return Plaintext.toString('utf8');
}

function contextOf({ customerId, webhookId }: SecretContext) {
  return { customer_id: customerId, webhook_id: webhookId };
}
