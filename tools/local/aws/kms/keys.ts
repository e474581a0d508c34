import { type KeyObject, randomBytes } from 'node:crypto';
import { AwsError } from '../aws-api.ts';
import { type EncryptionContext, invalidCiphertext, keyIdOf, open, seal } from './ciphertext.ts';

export type Key = { readonly id: string; readonly arn: string; readonly material: KeyObject };

type EncryptInput = {
  readonly KeyId: string;
  readonly Plaintext: Buffer;
  readonly EncryptionContext: EncryptionContext;
};
type DecryptInput = {
  readonly KeyId?: string | undefined;
  readonly CiphertextBlob: Buffer;
  readonly EncryptionContext: EncryptionContext;
};

/** @returns 12 bytes, which differ for each pair of a plaintext and a context */
type MakeIv = (plaintext: Buffer, context: EncryptionContext) => Buffer;

const EncryptionAlgorithm = 'SYMMETRIC_DEFAULT';

/** The keys of one account and region. */
export class Keys {
  readonly #keys: readonly Key[];
  readonly #makeIv: MakeIv;

  constructor(keys: readonly Key[], makeIv: MakeIv = () => randomBytes(12)) {
    this.#keys = keys;
    this.#makeIv = makeIv;
  }

  /** @throws AwsError */
  encrypt({ KeyId, Plaintext, EncryptionContext }: EncryptInput) {
    const key = this.#find(KeyId);
    const iv = this.#makeIv(Plaintext, EncryptionContext);
    return {
      KeyId: key.arn,
      CiphertextBlob: seal(key, Plaintext, EncryptionContext, iv),
      EncryptionAlgorithm,
    };
  }

  /** @throws AwsError */
  decrypt({ KeyId, CiphertextBlob, EncryptionContext }: DecryptInput) {
    const keyId = keyIdOf(CiphertextBlob);
    const key = this.#keys.find(({ id }) => id === keyId);
    if (key === undefined) throw invalidCiphertext();
    if (KeyId !== undefined && this.#find(KeyId) !== key) {
      throw new AwsError('IncorrectKeyException', `The ciphertext was not made with key ${KeyId}`);
    }
    const Plaintext = open(key.material, CiphertextBlob, EncryptionContext);
    return { KeyId: key.arn, Plaintext, EncryptionAlgorithm };
  }

  #find(idOrArn: string): Key {
    const key = this.#keys.find(({ id, arn }) => id === idOrArn || arn === idOrArn);
    if (key === undefined) throw new AwsError('NotFoundException', `Key '${idOrArn}' does not exist`);
    return key;
  }
}
