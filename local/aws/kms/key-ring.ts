import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { KmsError } from './kms-error.ts';

const storedKeySchema = z.object({ arn: z.string(), material: z.base64(), createdAt: z.number() });
const fileSchema = z.object({ keys: z.array(storedKeySchema) });

export type Key = {
  readonly id: string;
  readonly arn: string;
  readonly material: Buffer;
  /** Epoch milliseconds. */
  readonly createdAt: number;
};

/** The keys of one account, found by id or ARN, and kept in a file (readable by its owner only) when given. */
export class KeyRing {
  readonly #keys = new Map<string, Key>();
  readonly #file: string | null;

  /** @throws Error when the file holds something else. */
  constructor(file: string | null) {
    this.#file = file;
    if (file === null || !existsSync(file)) return;
    for (const { arn, material, createdAt } of readKeys(file)) {
      this.#add({ id: keyIdOfArn(arn), arn, material: Buffer.from(material, 'base64'), createdAt });
    }
  }

  /** Makes the key of this ARN unless it exists. */
  ensure(arn: string, now: number): Key {
    const existing = this.#keys.get(keyIdOfArn(arn));
    if (existing !== undefined) return existing;
    const key = { id: keyIdOfArn(arn), arn, material: randomBytes(32), createdAt: now };
    this.#add(key);
    this.#store();
    return key;
  }

  /** Makes a key of a new random id, beside the given prefix such as `arn:aws:kms:us-east-1:000000000000:`. */
  create(arnPrefix: string, now: number): Key {
    return this.ensure(`${arnPrefix}key/${randomUUID()}`, now);
  }

  /** @throws KmsError NotFoundException */
  find(idOrArn: string): Key {
    const key = this.#keys.get(idOrArn.startsWith('arn:') ? keyIdOfArn(idOrArn) : idOrArn);
    if (key !== undefined && (key.id === idOrArn || key.arn === idOrArn)) return key;
    throw new KmsError('NotFoundException', `Key '${idOrArn}' does not exist`);
  }

  #add(key: Key): void {
    this.#keys.set(key.id, key);
  }

  #store(): void {
    if (this.#file === null) return;
    const keys = [...this.#keys.values()].map(({ arn, material, createdAt }) => ({
      arn,
      material: material.toString('base64'),
      createdAt,
    }));
    mkdirSync(dirname(this.#file), { recursive: true });
    const temporary = `${this.#file}.new`;
    writeFileSync(temporary, JSON.stringify({ keys }), { mode: 0o600 });
    renameSync(temporary, this.#file);
  }
}

function readKeys(file: string): z.infer<typeof fileSchema>['keys'] {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).keys;
  } catch (error) {
    // A new key in its place would make every stored secret unreadable, so it is never replaced silently.
    throw new Error(`The keys in ${file} cannot be read: repair the file, or remove it with all other data`, {
      cause: error,
    });
  }
}

function keyIdOfArn(arn: string): string {
  const id = /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/([\w-]{1,200})$/.exec(arn)?.[1];
  if (id === undefined) throw new KmsError('NotFoundException', `'${arn}' is not the ARN of a key`);
  return id;
}
