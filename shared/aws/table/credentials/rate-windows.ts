import * as z from 'zod/mini';
import type { Table } from '#shared/aws/clients.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { type CountedRequest, type RateWindow, rateLimit, rateWindowMs } from '#shared/domain/rate-window.ts';
import { isRefused, type UpdateInput, updateIf } from '../conditional-write.ts';
import { rateWindowKey } from '../keys.ts';
import { reads } from '../stored-row.ts';

/** Start of the stored times, in epoch milliseconds: shorter numbers keep the item within one write unit. */
const epoch = Date.UTC(2026, 0);

/** Time after the last admitted request when a window may expire, in milliseconds. */
const idleLife = 60 * 60_000;

const toTime = z.transform((stored: number) => stored + epoch);
const times = z.array(z.pipe(z.number(), toTime));
const windowItem = z.object({ previous: times, current: times, mark: z.string() });
const fromWindowItem = reads('Rate window', windowItem, (window) => window);

export type Admission = { readonly admitted: boolean; readonly window: RateWindow };

/**
 * Admits or refuses a request of a credential with one conditional write: DynamoDB puts concurrent requests in order,
 * so the limit holds across all functions. Only the first request of a credential and every sixtieth after it need a
 * second write, because they start a new list.
 *
 * The client retries a write whose response was lost. The item therefore holds the mark of the last admitted request: a
 * write never succeeds on its own mark, and a refusal that returns the mark was an admission. When another request is
 * admitted between a write and its retry, the mark is gone, and the request is counted twice or refused. This is
 * accepted: it is rare and never admits more requests than the limit.
 */
export async function admitRequest(table: Table, request: CountedRequest): Promise<Admission> {
  const append = () => write(table, appendInput(request), request.mark);
  const first = await append();
  if (first.admitted || (first.window !== null && !isUsedUp(first.window))) return settled(first);
  const begin = first.window === null ? createInput : turnInput;
  const begun = await write(table, begin(request), request.mark);
  // Refused: another request started the list first, and the list has room or is full.
  return settled(begun.admitted ? begun : await append());
}

type Written = { readonly admitted: boolean; readonly window: RateWindow | null };

const unused: RateWindow = { previous: Array.from({ length: rateLimit }, () => 0), current: [] };

function settled({ admitted, window }: Written): Admission {
  return { admitted, window: window ?? unused };
}

async function write(table: Table, input: UpdateInput, mark: string): Promise<Written> {
  const result = await updateIf(table, input);
  if (!isRefused(result)) return { admitted: true, window: fromWindowItem(result.Attributes) };
  if (result.item === null) return { admitted: false, window: null };
  const item = fromWindowItem(result.item);
  return { admitted: item.mark === mark, window: item };
}

/** Whether the current list is full and the previous one used up, so that the next request starts a new list. */
const isUsedUp = ({ previous }: RateWindow): boolean => previous.length === 1;

/** Appends the request to the current list and removes the first entry of the previous list, which has made room. */
const appendInput = (request: CountedRequest): UpdateInput => ({
  ...windowInput(request, { ':left': leftBefore(request.now) }),
  UpdateExpression: `SET #current = list_append(#current, :request), ${commonAssignments} REMOVE previous[0]`,
  ConditionExpression: 'mark <> :mark AND previous[1] <= :left',
});

/** Turns the full list into the previous one and starts a new list with the request. */
const turnInput = (request: CountedRequest): UpdateInput => ({
  ...windowInput(request, { ':one': 1, ':left': leftBefore(request.now) }),
  UpdateExpression: `SET previous = #current, #current = :request, ${commonAssignments}`,
  ConditionExpression: 'size(previous) = :one AND #current[0] <= :left',
});

/** The first request of a credential. */
const createInput = (request: CountedRequest): UpdateInput => ({
  ...windowInput(request, { ':never': Array.from({ length: rateLimit }, () => -epoch) }),
  UpdateExpression: `SET previous = :never, #current = :request, ${commonAssignments}`,
  ConditionExpression: 'attribute_not_exists(pk)',
});

/** Assignments of every write beside the lists. */
const commonAssignments = `mark = :mark, ${tableSchema.expiresAt} = :expires`;

/** What every write has, with its own values. */
function windowInput({ credentialId, now, mark }: CountedRequest, values: Readonly<Record<string, unknown>>) {
  return {
    Key: rateWindowKey(credentialId),
    ExpressionAttributeNames: { '#current': 'current' },
    ExpressionAttributeValues: {
      ':request': [now - epoch],
      ':mark': mark,
      ':expires': Math.floor((now + idleLife) / 1000),
      ...values,
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } satisfies UpdateInput;
}

const leftBefore = (now: number): number => now - rateWindowMs - epoch;
