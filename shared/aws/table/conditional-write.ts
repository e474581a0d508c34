import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import type { PutCommandInput, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Table } from '#shared/aws/clients.ts';

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

/** Positions of the writes in a transaction whose condition failed; `null` when none did. */
export function failedConditions(error: unknown): readonly number[] | null {
  const failed = reasonsOf(error).flatMap((code, index) => (code === 'ConditionalCheckFailed' ? [index] : []));
  return failed.length === 0 ? null : failed;
}

/** Tables on demand throttle with `ThrottlingError`, provisioned ones with `ProvisionedThroughputExceeded`. */
const passing: ReadonlySet<string> = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

/**
 * Whether a transaction failed only because it met another one on the same items, was throttled, or is still under way:
 * the client repeats one that got no response, and DynamoDB may take five seconds to complete the first.
 */
export function isConflict(error: unknown): boolean {
  return error instanceof TransactionInProgressException || reasonsOf(error).some((code) => passing.has(code));
}

/** Why a transaction was cancelled, for each of its writes in order; empty for any other error. */
function reasonsOf(error: unknown): readonly string[] {
  if (!(error instanceof TransactionCanceledException)) return [];
  return (error.CancellationReasons ?? []).map(({ Code = 'None' }) => Code);
}
