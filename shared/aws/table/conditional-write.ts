import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import type { PutCommandInput, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import { failedConditions } from './transaction-errors.ts';

/** A write whose condition failed, with the item at that time; `null` when there was none. */
export type Refused = { readonly refused: true; readonly item: Readonly<Record<string, unknown>> | null };

export type UpdateInput = Omit<UpdateCommandInput, 'TableName'>;
export type PutInput = Omit<PutCommandInput, 'TableName'>;

/** Updates an item under a condition. Returns a failed condition and throws every other error. */
export function updateIf({ client, name }: Table, input: UpdateInput) {
  return orRefused(client.update({ TableName: name, ...input }));
}

/** The same for an item that is written as a whole. */
export function putIf({ client, name }: Table, input: PutInput) {
  return orRefused(client.put({ TableName: name, ...input }));
}

async function orRefused<T>(write: Promise<T>): Promise<T | Refused> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { refused: true, item: error.Item === undefined ? null : unmarshall(error.Item) };
  }
}

export function isRefused(result: unknown): result is Refused {
  return typeof result === 'object' && result !== null && 'refused' in result;
}

/** Runs a transaction. @returns `false` when one of its conditions failed */
export async function meetsConditions(write: Promise<void>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (failedConditions(error) !== null) return false;
    throw error;
  }
}
