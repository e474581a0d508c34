import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { tableSchema } from '../../contract/table-schema.ts';
import { type RateWindow, rateLimit, rateWindowMs } from '../../domain/rate-window.ts';
import type { Table } from '../clients.ts';
import { isRefused, orRefused } from './conditional-write.ts';
import { rateWindowKey } from './keys.ts';

/** Times are stored from here on: numbers that short keep the item within one write unit. */
const epoch = Date.UTC(2026, 0);

/** A window nobody used for this long may be forgotten, in milliseconds. */
const idleLife = 60 * 60_000;

const times = z.array(z.number().transform((stored) => stored + epoch));
const windowItem = z.object({ previous: times, current: times });

export type Admission = { readonly admitted: boolean; readonly window: RateWindow };

/**
 * Admits a request of a credential, or not, by one conditional write: DynamoDB puts concurrent requests in order, so
 * the limit holds over all functions at once. Only the first request of all and every sixtieth after it try twice,
 * because they begin a new list.
 */
export function admitRequest(table: Table) {
  const append = (credentialId: string, now: number) =>
    write(table, appendInput(table.name, credentialId, now));
  return async (credentialId: string, now: number): Promise<Admission> => {
    const first = await append(credentialId, now);
    if (first.admitted || (first.window !== null && first.window.current.length < rateLimit)) {
      return settled(first);
    }
    const begin = first.window === null ? createInput : turnInput;
    const begun = await write(table, begin(table.name, credentialId, now));
    // Refused: somebody else began the list first, and there is room in theirs or none at all.
    return settled(begun.admitted ? begun : await append(credentialId, now));
  };
}

type Written = { readonly admitted: boolean; readonly window: RateWindow | null };

const unused: RateWindow = { previous: Array.from({ length: rateLimit }, () => 0), current: [] };

function settled({ admitted, window }: Written): Admission {
  return { admitted, window: window ?? unused };
}

async function write(table: Table, input: UpdateCommandInput): Promise<Written> {
  const result = await orRefused(table.client.send(new UpdateCommand(input)));
  if (!isRefused(result)) return { admitted: true, window: windowItem.parse(result.Attributes) };
  return { admitted: false, window: result.item === null ? null : windowItem.parse(result.item) };
}

const places = Array.from({ length: rateLimit }, (_, index) => index);

/** Place n of the current list is free once place n of the previous one has left the window, for whatever n. */
const hasRoom = places.map((place) => `(filled = :n${place} AND previous[${place}] <= :left)`).join(' OR ');
const placeValues = Object.fromEntries(places.map((place) => [`:n${place}`, place]));

/** Adds the request to the current list. */
export function appendInput(tableName: string, credentialId: string, now: number): UpdateCommandInput {
  const input = baseInput(tableName, credentialId, now);
  return {
    ...input,
    UpdateExpression: `SET #current = list_append(#current, :request), filled = filled + :one, ${tableSchema.expiresAt} = :expires`,
    ConditionExpression: hasRoom,
    ExpressionAttributeValues: {
      ...input.ExpressionAttributeValues,
      ...placeValues,
      ':left': leftBefore(now),
    },
  };
}

/** The full list becomes the previous one, and the request the first of a new one. */
export function turnInput(tableName: string, credentialId: string, now: number): UpdateCommandInput {
  const input = baseInput(tableName, credentialId, now);
  return {
    ...input,
    UpdateExpression: `SET previous = #current, #current = :request, filled = :one, ${tableSchema.expiresAt} = :expires`,
    ConditionExpression: 'filled = :full AND #current[0] <= :left',
    ExpressionAttributeValues: {
      ...input.ExpressionAttributeValues,
      ':full': rateLimit,
      ':left': leftBefore(now),
    },
  };
}

/** The first request of a credential. */
export function createInput(tableName: string, credentialId: string, now: number): UpdateCommandInput {
  const input = baseInput(tableName, credentialId, now);
  return {
    ...input,
    UpdateExpression: `SET previous = :never, #current = :request, filled = :one, ${tableSchema.expiresAt} = :expires`,
    ConditionExpression: 'attribute_not_exists(pk)',
    ExpressionAttributeValues: {
      ...input.ExpressionAttributeValues,
      ':never': places.map(() => -epoch),
    },
  };
}

function baseInput(tableName: string, credentialId: string, now: number) {
  return {
    TableName: tableName,
    Key: rateWindowKey(credentialId),
    ExpressionAttributeNames: { '#current': 'current' },
    ExpressionAttributeValues: {
      ':request': [now - epoch],
      ':one': 1,
      ':expires': Math.floor((now + idleLife) / 1000),
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } satisfies UpdateCommandInput;
}

const leftBefore = (now: number): number => now - rateWindowMs - epoch;
