import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import { isRefused, putIf } from '../conditional-write.ts';
import { cursorSecretKey } from '../keys.ts';
import { readRow, reads } from '../stored-row.ts';

const fromSecretItem = reads('Cursor secret', z.object({ secret: z.string() }), ({ secret }) => secret);

/**
 * The secret that authenticates the cursors of this deployment. The first list request creates it. Anyone who can read
 * the table can read every list, so the table is a safe place for the secret.
 *
 * @param randomBytes source of a new secret
 * @returns 32 bytes, the same for all functions of the deployment
 */
export async function readCursorSecret(table: Table, randomBytes: (size: number) => Uint8Array): Promise<Uint8Array> {
  const stored = await readRow(table, cursorSecretKey, fromSecretItem);
  const secret = stored ?? (await createSecret(table, Buffer.from(randomBytes(32)).toString('base64')));
  return Buffer.from(secret, 'base64');
}

async function createSecret(table: Table, secret: string): Promise<string> {
  const result = await putIf(table, {
    Item: { ...cursorSecretKey, secret },
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  return isRefused(result) ? fromSecretItem(result.item) : secret;
}
