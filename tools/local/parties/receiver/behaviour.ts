import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { nearest } from '#shared/contract/nearest.ts';

const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER) => z.coerce.number().int().min(least).max(most);
const statusSchema = wholeNumber(200, 599);
const aStatus = 'a whole number from 200 to 599';

/** The reply that the query of a request asks for. The descriptions say what a switch takes. */
const behaviourSchema = z.object({
  status: statusSchema.optional().describe(aStatus),
  delay_ms: wholeNumber(0, 600_000).default(0).describe('a whole number from 0 to 600000'),
  redirect: z.string().min(1).optional().describe('a URL'),
  fail_first: wholeNumber(0).default(0).describe('a whole number, at least 0'),
  fail_status: statusSchema.default(500).describe(aStatus),
  close: z.enum(['0', '1', 'false', 'true']).optional().describe('1 or 0'),
  handshake: statusSchema.default(200).describe(aStatus),
});

/** Names of the query parameters. docs/local-stack.md explains each of them. */
export const switches: readonly string[] = Object.keys(behaviourSchema.shape);

type Behaviour = z.infer<typeof behaviourSchema>;

type Received = { readonly headers: IncomingHttpHeaders; readonly body: string | Buffer };

/** The reply to one request. A `null` response cuts the connection. */
export type Reply = {
  readonly delayMs: number;
  readonly response: { readonly status: number; readonly location?: string; readonly text: string } | null;
};

/**
 * Decides the reply to one POST.
 *
 * - The handshake gets the status `handshake` immediately; no other parameter applies to it. An example is answered like
 *   an event.
 * - `fail_first=n` fails the first n other POSTs to the same URL with `fail_status`, or by cutting the connection if
 *   `close=1`. The other parameters apply to later POSTs.
 * - `close=1` without `fail_first` cuts every connection.
 * - `redirect` answers 302 unless `status` is set.
 *
 * A wrong value, or a name that is almost a switch, gets a 400 with the reason. Other parameters have no effect.
 *
 * @param countEarlier counts an ordinary POST and returns the number of earlier ones
 */
export function decideReply(query: URLSearchParams, request: Received, countEarlier: () => number): Reply {
  const parsed = behaviourSchema.safeParse(Object.fromEntries(query));
  const faults = [...misspelt(query), ...wrongValues(parsed.error)];
  if (!parsed.success || faults.length > 0) {
    return { delayMs: 0, response: { status: 400, text: `${faults.join('\n')}\n` } };
  }
  const behaviour = parsed.data;
  if (isHandshake(request)) return { delayMs: 0, response: plain(behaviour.handshake) };
  const failing = countEarlier() < behaviour.fail_first;
  return { delayMs: behaviour.delay_ms, response: decideResponse(behaviour, failing) };
}

function misspelt(query: URLSearchParams): readonly string[] {
  return [...query.keys()].flatMap((name) => {
    const meant = switches.includes(name) ? undefined : nearest(name, switches);
    return meant === undefined ? [] : [`The switch \`${name}\` does not exist: did you mean \`${meant}\`?`];
  });
}

function wrongValues(error: z.ZodError<Behaviour> | undefined): readonly string[] {
  const { properties = {} } = error === undefined ? {} : z.treeifyError(error);
  return Object.entries(behaviourSchema.shape).flatMap(([name, { description }]) =>
    Object.hasOwn(properties, name) ? [`The switch \`${name}\` must be ${description}`] : [],
  );
}

function decideResponse(behaviour: Behaviour, failing: boolean): Reply['response'] {
  const cuts = behaviour.close === '1' || behaviour.close === 'true';
  if (failing) return cuts ? null : plain(behaviour.fail_status);
  if (cuts && behaviour.fail_first === 0) return null;
  if (behaviour.redirect === undefined) return plain(behaviour.status ?? 200);
  return { ...plain(behaviour.status ?? 302), location: behaviour.redirect };
}

function plain(status: number): { status: number; text: string } {
  return { status, text: `${status}\n` };
}

function isHandshake({ headers, body }: Received): boolean {
  const isTest = Object.entries(headers).some(
    ([name, value]) => name.endsWith('-event-type') && value === 'webhook.test',
  );
  // Texts of customers cannot make this member: JSON escapes their quotes.
  return isTest && !body.includes('"example":');
}
