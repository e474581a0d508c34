import type { Table } from '#shared/aws/clients.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import {
  type KeyedRequest,
  type RequestKey,
  type RequestTry,
  requestKeyLasts,
  type StoredRequest,
} from '#shared/domain/request-key.ts';
import { isRefused, putIf, updateIf } from '../conditional-write.ts';
import { requestRowKey } from '../keys.ts';
import { readRow } from '../stored-row.ts';
import { fromRequestItem } from './request-item.ts';

/** `token` is in each condition: a write of a try that another one has followed is refused. */
const clauses = {
  isUnused: `attribute_not_exists(pk) OR ${tableSchema.expiresAt} <= :now_seconds OR is_free = :free`,
  isOfThisTry: '#token = :token',
  isUnderWay: 'attribute_not_exists(answer) AND is_free <> :free',
} as const;

/**
 * Stores the first try of a request, unless the key stands for a request that is neither free nor over.
 *
 * @param now epoch milliseconds
 * @returns the stored request when it is another one or belongs to another try
 */
export async function beginRequest(
  table: Table,
  request: KeyedRequest,
  { token, leaseUntil }: RequestTry,
  now: number,
): Promise<StoredRequest | null> {
  const result = await putIf(table, {
    Item: {
      ...requestRowKey(request),
      fingerprint: request.fingerprint,
      begun_at: now,
      token,
      lease_until: leaseUntil,
      [tableSchema.expiresAt]: seconds(now + requestKeyLasts),
    },
    ConditionExpression: clauses.isUnused,
    ExpressionAttributeValues: { ':now_seconds': seconds(now), ':free': true },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  if (!isRefused(result) || result.item === null) return null;
  const stored = fromRequestItem(result.item);
  // The client retries a write whose response was lost.
  return stored.token === token ? null : stored;
}

/**
 * Continues a request under way with another try, if the last one is as it was read.
 *
 * @returns the request as the last try has left it, which can do no more about it; `null` if it was not continued
 */
export async function continueRequest(
  table: Table,
  key: RequestKey,
  last: RequestTry,
  next: RequestTry,
): Promise<StoredRequest | null> {
  const result = await updateIf(table, {
    Key: requestRowKey(key),
    UpdateExpression: 'SET #token = :next, lease_until = :lease_until',
    ConditionExpression: `${clauses.isOfThisTry} AND ${clauses.isUnderWay}`,
    ExpressionAttributeNames: { '#token': 'token' },
    ExpressionAttributeValues: {
      ':token': last.token,
      ':next': next.token,
      ':lease_until': next.leaseUntil,
      ':free': true,
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  const item = isRefused(result) ? result.item : result.Attributes;
  const stored = item === null || item === undefined ? null : fromRequestItem(item);
  // The client retries a write whose response was lost.
  return stored?.token === next.token ? stored : null;
}

/** What a try changes on its request, if no other try has begun since. @returns whether it did */
export async function changeRequest(
  table: Table,
  key: RequestKey,
  token: string,
  change: Partial<Pick<StoredRequest, 'leaseUntil' | 'isFree' | 'secret' | 'answer'>>,
): Promise<boolean> {
  const { leaseUntil, isFree, secret, answer } = change;
  const changes = { lease_until: leaseUntil, is_free: isFree, secret, answer };
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const result = await updateIf(table, {
    Key: requestRowKey(key),
    UpdateExpression: `SET ${given.map(([name]) => `${name} = :${name}`).join(', ')}`,
    ConditionExpression: clauses.isOfThisTry,
    ExpressionAttributeNames: { '#token': 'token' },
    ExpressionAttributeValues: {
      ':token': token,
      ...Object.fromEntries(given.map(([name, value]) => [`:${name}`, value])),
    },
  });
  return !isRefused(result);
}

/** The encrypted answer to a request, which is stored together with what the request made. */
export type SealedAnswer = { readonly request: RequestKey; readonly sealed: string; readonly at: number };

/** The write of an answer together with what its request made. It is refused if the request has an answer. */
export function answerPut(TableName: string, { request, sealed, at }: SealedAnswer) {
  const Item = {
    ...requestRowKey(request),
    fingerprint: request.digest,
    begun_at: at,
    token: request.digest,
    lease_until: at,
    answer: sealed,
    [tableSchema.expiresAt]: seconds(at + requestKeyLasts),
  };
  const values = { ':now_seconds': seconds(at), ':free': true };
  const condition = { ConditionExpression: clauses.isUnused, ExpressionAttributeValues: values };
  return { Put: { TableName, Item, ...condition } };
}

/** The encrypted answer to a request of the last 24 hours. @param now epoch milliseconds */
export async function readAnswer(table: Table, request: RequestKey, now: number): Promise<string | null> {
  const stored = await readRow(table, requestRowKey(request), fromRequestItem);
  return stored !== null && now < stored.begunAt + requestKeyLasts ? stored.answer : null;
}

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);
