import { DecryptCommand, EncryptCommand, type KMSClient } from '@aws-sdk/client-kms';

/** What a ciphertext is bound to: with another context it cannot be decrypted. */
type Context = Readonly<Record<string, string>>;

/** @returns the ciphertext in base64 */
export async function encryptBytes(
  client: KMSClient,
  KeyId: string,
  Plaintext: Uint8Array,
  context: Context,
): Promise<string> {
  const command = new EncryptCommand({ KeyId, Plaintext, EncryptionContext: { ...context } });
  const { CiphertextBlob } = await client.send(command);
  if (CiphertextBlob === undefined) throw new Error('Cannot encrypt: KMS returned no ciphertext');
  return Buffer.from(CiphertextBlob).toString('base64');
}

/** @param ciphertext in base64 */
export async function decryptBytes(
  client: KMSClient,
  KeyId: string,
  ciphertext: string,
  context: Context,
): Promise<Uint8Array> {
  const CiphertextBlob = Buffer.from(ciphertext, 'base64');
  const command = new DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext: { ...context } });
  const { Plaintext } = await client.send(command);
  if (Plaintext === undefined) throw new Error('Cannot decrypt: KMS returned no plaintext');
  return Plaintext;
}
