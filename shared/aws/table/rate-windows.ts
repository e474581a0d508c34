import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { Table } from '#shared/aws/clients.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { type CountedRequest, type RateWindow, rateLimit, rateWindowMs } from '#shared/domain/rate-window.ts';
import { isRefused, orRefused } from './conditional-write.ts';
import { rateWindowKey } from './keys.ts';
import { reads } from './stored-row.ts';

/** Times are stored from here on: numbers that short keep the item within one write unit. */
const epoch = Date.UTC(2026, 0);

/** A window that was unused for this long may expire, in milliseconds. */
const idleLife = 60 * 60_000;

const times = z.array(z.number().transform((stored) => stored + epoch));
const windowItem = z.object({ previous: times, current: times, mark: z.string() });
const fromWindowItem = reads('Rate window', windowItem, (window) => window);

export type Admission = { readonly admitted: boolean; readonly window: RateWindow };

/**
 * Admits a request of a credential, or not, by one conditional write: DynamoDB puts concurrent requests in order, so
 * the limit holds over all functions at once. Only the first request of all and every sixtieth after it try twice,
 * because they begin a new list.
 *
 * The client repeats a write whose answer was lost. The item therefore holds the mark of the last admitted request: no
 * write is done on its own mark, and a refusal that shows it was our own admission. When another request is admitted
 * between a write and its repeat, our mark is gone, and we are counted twice or refused: that is accepted, for it is
 * rare and never lets more than the limit through.
 */
export function admitRequest(table: Table) {
  return async (request: CountedRequest): Promise<Admission> => {
    const append = () => write(table, appendInput(table.name, request), request.mark);
    const first = await append();
    if (first.admitted || (first.window !== null && !isUsedUp(first.window))) return settled(first);
    const begin = first.window === null ? createInput : turnInput;
    const begun = await write(table, begin(table.name, request), request.mark);
    // Refused: another request began the list first, and it has room or is full.
    return settled(begun.admitted ? begun : await append());
  };
}

type Written = { readonly admitted: boolean; readonly window: RateWindow | null };

const unused: RateWindow = { previous: Array.from({ length: rateLimit }, () => 0), current: [] };

function settled({ admitted, window }: Written): Admission {
  return { admitted, window: window ?? unused };
}

async function write(table: Table, input: UpdateCommandInput, mark: string): Promise<Written> {
  const result = await orRefused(table.client.send(new UpdateCommand(input)));
  if (!isRefused(result)) return { admitted: true, window: fromWindowItem(result.Attributes) };
  if (result.item === null) return { admitted: false, window: null };
  const item = fromWindowItem(result.item);
  return { admitted: item.mark === mark, window: item };
}

/** Whether the current list is full and the previous one used up, so that the next request begins a new one. */
const isUsedUp = ({ previous }: RateWindow): boolean => previous.length === 1;

/** What every write sets beside the lists. */
const always = `mark = :mark, ${tableSchema.expiresAt} = :expires`;

/** Adds the request to the current list, in place of the one of the previous list that just made room. */
function appendInput(tableName: string, request: CountedRequest): UpdateCommandInput {
  const input = baseInput(tableName, request);
  return {
    ...input,
    UpdateExpression: `SET #current = list_append(#current, :request), ${always} REMOVE previous[0]`,
    ConditionExpression: 'mark <> :mark AND previous[1] <= :left',
    ExpressionAttributeValues: { ...input.ExpressionAttributeValues, ':left': leftBefore(request.now) },
  };
}

/** The full list becomes the previous one, and the request the first of a new one. */
function turnInput(tableName: string, request: CountedRequest): UpdateCommandInput {
  const input = baseInput(tableName, request);
  return {
    ...input,
    UpdateExpression: `SET previous = #current, #current = :request, ${always}`,
    ConditionExpression: 'size(previous) = :one AND #current[0] <= :left',
    ExpressionAttributeValues: {
      ...input.ExpressionAttributeValues,
      ':one': 1,
      ':left': leftBefore(request.now),
    },
  };
}

/** The first request of a credential. */
function createInput(tableName: string, request: CountedRequest): UpdateCommandInput {
  const input = baseInput(tableName, request);
  return {
    ...input,
    UpdateExpression: `SET previous = :never, #current = :request, ${always}`,
    ConditionExpression: 'attribute_not_exists(pk)',
    ExpressionAttributeValues: {
      ...input.ExpressionAttributeValues,
      ':never': Array.from({ length: rateLimit }, () => -epoch),
    },
  };
}

function baseInput(tableName: string, { credentialId, now, mark }: CountedRequest) {
  return {
    TableName: tableName,
    Key: rateWindowKey(credentialId),
    ExpressionAttributeNames: { '#current': 'current' },
    ExpressionAttributeValues: {
      ':request': [now - epoch],
      ':mark': mark,
      ':expires': Math.floor((now + idleLife) / 1000),
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } satisfies UpdateCommandInput;
}

const leftBefore = (now: number): number => now - rateWindowMs - epoch;
