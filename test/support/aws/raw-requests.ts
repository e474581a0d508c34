import * as z from 'zod';
import { AwsError } from '../../../tools/local/aws/aws-api.ts';
import { type CallService, createServiceClient } from '../../../tools/local/stack/service-client.ts';

/** What DynamoDB answers: the members of the answer, or those of an exception with its short name. */
export type RawAnswer = { readonly answer: unknown } | { readonly error: RawError };
export type RawError = z.output<typeof members> & { readonly type: string; readonly message: string };

export type SendRaw = (action: string, input: object) => Promise<RawAnswer>;

const json = z.json();
type Json = z.output<typeof json>;
const members = z.object({
  Item: z.unknown().optional(),
  CancellationReasons: z
    .array(z.object({ Code: z.string(), Message: z.string().nullish(), Item: z.unknown().optional() }))
    .optional(),
});

/** Sends requests as they are, without an SDK that would refuse some of them. */
export const rawRequests =
  (call: CallService): SendRaw =>
  async (action, input) => {
    try {
      return { answer: overTheWire(await call(action, input)) };
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      return { error: { type: error.code, message: error.message, ...members.parse(overTheWire(error.members)) } };
    }
  };

/** The same to a running service. @param parts gets the connections, and ends them */
export function rawRequestsTo(url: string, parts: AsyncDisposableStack): SendRaw {
  const { call, close } = createServiceClient('dynamodb', url);
  parts.defer(close);
  return rawRequests(call);
}

const overTheWire = (value: unknown): Json => comparable(json.parse(JSON.parse(JSON.stringify(value))));

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
