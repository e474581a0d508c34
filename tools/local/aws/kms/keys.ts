import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { AwsError } from '../aws-api.ts';

export type Key = { readonly id: string; readonly arn: string; readonly material: KeyObject };

/** Names and values that are authenticated with a ciphertext but not part of it. */
type EncryptionContext = Readonly<Record<string, string>>;

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
const cipherName = 'aes-256-gcm';
const version = 1;
const lengths = { iv: 12, tag: 16 } as const;

/**
 * The keys of one account and region. A ciphertext is one version byte, the length and text of the key id, the
 * initialization vector, the tag and the encrypted bytes. The head and the context are authenticated with them.
 */
export class Keys {
  readonly #keys: readonly Key[];
  readonly #makeIv: MakeIv;

  constructor(keys: readonly Key[], makeIv: MakeIv = () => randomBytes(lengths.iv)) {
    this.#keys = keys;
    this.#makeIv = makeIv;
  }

  /** @throws AwsError */
  encrypt({ KeyId, Plaintext, EncryptionContext }: EncryptInput) {
    const { id, arn, material } = this.#find(KeyId);
    const iv = this.#makeIv(Plaintext, EncryptionContext);
    const head = headOf(id);
    const cipher = createCipheriv(cipherName, material, iv).setAAD(additionalData(head, EncryptionContext));
    const encrypted = Buffer.concat([cipher.update(Plaintext), cipher.final()]);
    const CiphertextBlob = Buffer.concat([head, iv, cipher.getAuthTag(), encrypted]);
    return { KeyId: arn, CiphertextBlob, EncryptionAlgorithm };
  }

  /** @throws AwsError */
  decrypt({ KeyId, CiphertextBlob, EncryptionContext }: DecryptInput) {
    const [ivStart, tagStart, start] = [0, lengths.iv, lengths.iv + lengths.tag].map(
      (length) => 2 + (CiphertextBlob[1] ?? 0) + length,
    );
    const head = CiphertextBlob.subarray(0, ivStart);
    const key = this.#keys.find(({ id }) => head.equals(headOf(id)));
    if (key === undefined) throw invalidCiphertext();
    if (KeyId !== undefined && this.#find(KeyId) !== key) {
      throw new AwsError('IncorrectKeyException', `The ciphertext was not made with key ${KeyId}`);
    }
    try {
      const options = { authTagLength: lengths.tag };
      const decipher = createDecipheriv(cipherName, key.material, CiphertextBlob.subarray(ivStart, tagStart), options)
        .setAAD(additionalData(head, EncryptionContext))
        .setAuthTag(CiphertextBlob.subarray(tagStart, start));
      const Plaintext = Buffer.concat([decipher.update(CiphertextBlob.subarray(start)), decipher.final()]);
      return { KeyId: key.arn, Plaintext, EncryptionAlgorithm };
    } catch {
      throw invalidCiphertext();
    }
  }

  #find(idOrArn: string): Key {
    const key = this.#keys.find(({ id, arn }) => id === idOrArn || arn === idOrArn);
    if (key === undefined) throw new AwsError('NotFoundException', `Key '${idOrArn}' does not exist`);
    return key;
  }
}

const headOf = (id: string): Buffer => Buffer.from(`${String.fromCharCode(version, id.length)}${id}`, 'latin1');

/** Sorts the pairs, because their order must not matter, and writes JSON, so that their boundaries are unambiguous. */
function additionalData(head: Buffer, context: EncryptionContext): Buffer {
  const pairs = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.concat([head, Buffer.from(JSON.stringify(pairs))]);
}

function invalidCiphertext(): AwsError {
  return new AwsError('InvalidCiphertextException', 'The ciphertext or its encryption context is wrong');
}
