import * as z from 'zod';
import type { Request } from './io.ts';

/** What a request of the table does about an attempt, with the token of its claim and the entry of its log. */
export type AttemptRequest = {
  readonly does: 'claim' | 'release' | 'record' | 'cancel' | 'tally';
  readonly token: string;
  /** How the attempt went, if that is recorded. */
  readonly outcome: string | null;
};

const update = z.object({
  UpdateExpression: z.string(),
  ExpressionAttributeValues: z.record(z.string(), z.unknown()),
});
const statements = z.object({
  Statements: z.tuple([z.object({ Statement: z.string(), Parameters: z.array(z.unknown()) })]),
});

/** In the order in which they are looked for. */
const marks = [
  ['claim', /^SET attempts = (:attempt|\?), claim_token/],
  ['release', /^SET attempts = :attempts_before/],
  ['record', /list_append|"log" = \?/],
  ['cancel', /cancelled = :reason/],
  ['tally', /^ADD (delivered|failed)/],
] as const;

/** `null` for a request that is about something else. */
export function attemptRequest({ input }: Request): AttemptRequest | null {
  const asked = update.safeParse(input).data;
  if (asked !== undefined) {
    const { ':token': token, ':entry': entries } = asked.ExpressionAttributeValues;
    return requestOf(asked.UpdateExpression, token, entries);
  }
  const statement = statements.safeParse(input).data?.Statements[0];
  if (statement === undefined) return null;
  const { Statement, Parameters } = statement;
  const text = Statement.replace(/^UPDATE "[^"]*" /, '');
  const isClaim = text.startsWith('SET attempts');
  return requestOf(text, isClaim ? Parameters[1] : Parameters.at(-1), isClaim ? [] : Parameters[1]);
}

function requestOf(text: string, token: unknown, entries: unknown): AttemptRequest | null {
  const does = marks.find(([, mark]) => mark.test(text))?.[0];
  if (does === undefined) return null;
  const [entry] = Array.isArray(entries) ? entries : [];
  return { does, token: String(token), outcome: Array.isArray(entry) ? String(entry[2]) : null };
}

/** In the order in which they are looked for. */
const endpointMarks = [
  ['touch', /^SET last_delivery_at/],
  ['mark', /^SET slow_since/],
  ['clear', /^REMOVE slow_since/],
  ['pace', /^SET slow_pace/],
  ['turn', /^SET slow_turn/],
  ['settle', /^DELETE owed_notices/],
  ['health', /failing_since|failure_streak|recovered_at/],
] as const;

/** What a request does about an endpoint. */
export type EndpointRequest = 'read' | (typeof endpointMarks)[number][0];

/** `null` for a request that is about something else. */
export function endpointRequest({ name, input }: Request): EndpointRequest | null {
  if (name === 'get CUS') return 'read';
  const text = update.safeParse(input).data?.UpdateExpression ?? '';
  return endpointMarks.find(([, mark]) => mark.test(text))?.[0] ?? null;
}
