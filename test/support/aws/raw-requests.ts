import * as z from 'zod';
import { localRegion } from '../../../tools/local/template/identities.ts';

/** What DynamoDB answers: the members of the answer, or those of an exception with its short name. */
export type RawAnswer = { readonly answer: unknown } | { readonly error: RawError };
export type RawError = z.output<typeof exception>;

export type SendRaw = (action: string, input: object) => Promise<RawAnswer>;

const json = z.json();
type Json = z.output<typeof json>;
const exception = z
  .object({
    // `com.amazonaws.dynamodb.v20120810#ValidationException` → `ValidationException`
    __type: z.string().transform((name) => name.replace(/^.*#/, '')),
    message: z.string().default(''),
    Item: z.unknown().optional(),
    CancellationReasons: z
      .array(z.object({ Code: z.string(), Message: z.string().nullish(), Item: z.unknown().optional() }))
      .optional(),
  })
  .transform(({ __type: type, ...members }) => ({ type, ...members }));

const headers = {
  'Content-Type': 'application/x-amz-json-1.0',
  'X-Amz-Date': '20200101T000000Z',
  Authorization: `AWS4-HMAC-SHA256 Credential=local/20200101/${localRegion}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
};

/** Sends requests as they are, without an SDK that would refuse some of them. */
export function rawRequests(url: string): SendRaw {
  return async (action, input) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'X-Amz-Target': `DynamoDB_20120810.${action}` },
      body: JSON.stringify(input),
    });
    const body = json.parse(await response.json());
    return response.ok ? { answer: comparable(body) } : { error: exception.parse(comparable(body)) };
  };
}

const sets = ['SS', 'NS', 'BS'];
const withoutOrder = <T>(members: readonly T[]): readonly T[] =>
  members.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

/**
 * The same in one form, without what DynamoDB leaves open or says in words: sets and the items of a batch have no order,
 * an error of a statement counts by its code, and of the units of a transaction only the sums.
 */
function comparable(value: Json): Json {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const members: [string, Json][] = [];
  for (const [name, given] of Object.entries(value).toSorted()) {
    const member = comparable(given);
    if (name === 'WriteCapacityUnits' || (name === 'TableName' && 'Error' in value)) continue;
    if (sets.includes(name) && Array.isArray(member)) members.push([name, [...withoutOrder(member)]]);
    else if (name === 'Error') members.push([name, statementError.parse(member).Code]);
    else if (name === 'Responses' && !Array.isArray(member)) members.push([name, unordered(member)]);
    else members.push([name, member]);
  }
  return Object.fromEntries(members);
}

const statementError = z.object({ Code: z.string() });
const itemsOfTables = z.record(z.string(), z.array(json));

function unordered(responses: Json): Json {
  const tables = Object.entries(itemsOfTables.parse(responses));
  return Object.fromEntries(tables.map(([table, items]) => [table, [...withoutOrder(items)]]));
}
