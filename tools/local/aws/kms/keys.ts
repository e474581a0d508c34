import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { keep, readKept } from '../../stack/kept-file.ts';
import { AwsError } from '../aws-api.ts';

const keptSchema = z.object({ keys: z.array(z.object({ arn: z.string(), material: z.base64() })) });

export type Key = { readonly id: string; readonly arn: string; readonly material: Buffer };

export type Keys = readonly Key[];

/**
 * Loads the keys of the given ARNs and creates missing ones.
 *
 * @param file keeps the keys, readable by its owner only; without it, all keys are new
 * @throws Error when an ARN is malformed or the file is invalid
 */
export async function openKeys(arns: readonly string[], file: string | undefined): Promise<Keys> {
  const kept = file === undefined ? undefined : await readKept(file, keptSchema);
  const known = new Map(kept?.keys.map(({ arn, material }) => [arn, Buffer.from(material, 'base64')]));
  const missing = arns.filter((arn) => !known.has(arn));
  for (const arn of missing) known.set(arn, randomBytes(32));
  const keys = [...known].map(([arn, material]) => ({ id: keyIdOfArn(arn), arn, material }));
  if (file !== undefined && missing.length > 0) {
    await keep(file, {
      keys: keys.map(({ arn, material }) => ({ arn, material: material.toString('base64') })),
    });
  }
  return keys;
}

/** @throws AwsError NotFoundException */
export function findKey(keys: Keys, idOrArn: string): Key {
  const key = keys.find(({ id, arn }) => id === idOrArn || arn === idOrArn);
  if (key === undefined) throw new AwsError('NotFoundException', `Key '${idOrArn}' does not exist`);
  return key;
}

function keyIdOfArn(arn: string): string {
  const id = /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/([\w-]{1,200})$/.exec(arn)?.[1];
  if (id === undefined) throw new Error(`Cannot make the key "${arn}": expected the ARN of a KMS key`);
  return id;
}
