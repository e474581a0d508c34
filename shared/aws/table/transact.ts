import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import { usualPause } from './pause.ts';
import { failedConditions, isConflict } from './transaction-errors.ts';

/** Number of tries of a transaction that meets others on the same items. */
export const transactionTries = 12;

/**
 * Runs a transaction, and again after a pause when it conflicts with another one. DynamoDB may complete a try that got no
 * response: an `input` that must not be told as refused then names a token.
 *
 * @returns `null` after the write, otherwise the positions of the failed conditions
 */
export async function transact(table: Table, input: TransactWriteCommandInput): Promise<readonly number[] | null> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await table.client.transactWrite(input);
      return null;
    } catch (error) {
      const failed = failedConditions(error);
      if (failed !== null) return failed;
      if (!isConflict(error) || attempt === transactionTries) throw error;
      await (table.pause ?? usualPause)(2 ** Math.min(attempt, 6) * 10);
    }
  }
}
