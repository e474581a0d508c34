import type { Table } from '#shared/aws/clients.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { type RequestKey, requestKeyLasts } from '#shared/domain/request-key.ts';
import type { BeginRequest, ChangeRequest, ContinueRequest } from '#shared/operations/customer/do-once.ts';
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

export function beginRequest(table: Table): BeginRequest {
  return async (request, { token, leaseUntil }, now) => {
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
  };
}

export function continueRequest(table: Table): ContinueRequest {
  return async (key, last, next) => {
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
  };
}

export function changeRequest(table: Table): ChangeRequest {
  return async (key, token, { leaseUntil, isFree, secret, answer }) => {
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
  };
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

/** The encrypted answer to a request of the last 24 hours. The table must not serve rows that have expired. */
export async function readAnswer(table: Table, request: RequestKey): Promise<string | null> {
  return (await readRow(table, requestRowKey(request), fromRequestItem))?.answer ?? null;
}

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);
