import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Breakage, InboxEntry, PassedRequest, PassedResponse } from './altering-proxy.ts';

/** A broken service, and the checks that must fail; the sections of the suite that have these run against it. */
export type Mutation = {
  readonly title: string;
  /** Called for each run, because some breakages remember requests. */
  readonly breakage: () => Breakage;
  readonly fails: readonly string[];
};

const jsonRecord = z.record(z.string(), z.unknown());
const madeSecret = z.object({ secret: z.string(), webhook: z.object({ id: z.string() }) });

type JsonRecord = z.infer<typeof jsonRecord>;

function alterJson(response: PassedResponse, alter: (body: JsonRecord) => unknown): PassedResponse {
  if (response.body === '' || !response.headers['content-type']?.includes('json')) return response;
  return { ...response, body: JSON.stringify(alter(jsonRecord.parse(JSON.parse(response.body)))) };
}

function withHeader(response: PassedResponse, name: string, value: string | undefined): PassedResponse {
  const { [name]: _, ...others } = response.headers;
  return { ...response, headers: value === undefined ? others : { ...others, [name]: value } };
}

function queryOf({ path }: PassedRequest): URLSearchParams {
  return new URL(path, 'http://service').searchParams;
}

function withQuery(request: PassedRequest, name: string, value?: string): PassedRequest {
  const url = new URL(request.path, 'http://service');
  url.searchParams.delete(name);
  if (value !== undefined) url.searchParams.set(name, value);
  return { ...request, path: url.pathname + url.search };
}

const withoutNulls = (body: JsonRecord): unknown =>
  JSON.parse(JSON.stringify(body), (_, member) => (member === null ? undefined : member));

/** Alters every response, and remembers none. */
function responding(alter: (response: PassedResponse, request: PassedRequest) => PassedResponse) {
  return (): Breakage => ({ response: alter });
}

/** Alters every POST in the inbox. */
function posting(alter: (entry: InboxEntry) => InboxEntry) {
  return (): Breakage => ({ inbox: (entries) => entries.map(alter) });
}

function signing(alter: (value: string) => string) {
  return posting((entry) => {
    const value = entry.headers['x-service-signature'] ?? '';
    return { ...entry, headers: { ...entry.headers, 'x-service-signature': alter(value) } };
  });
}

/** Keeps the cursors that were issued, and answers those that the service refuses with the first page. */
function takesCursors(isTaken: (cursor: string, issued: ReadonlySet<string>) => boolean): Breakage {
  const issued = new Set<string>();
  return {
    response: async (response, request, forward) => {
      const [cursor = '', ...more] = queryOf(request).getAll('cursor');
      const isRefused = response.status === 400 && cursor !== '' && more.length === 0;
      const given = isRefused && isTaken(cursor, issued) ? await forward(withQuery(request, 'cursor')) : response;
      return alterJson(given, (body) => {
        if (typeof body.next_cursor === 'string') issued.add(body.next_cursor);
        return body;
      });
    },
  };
}

/** Remembers the last secret of each endpoint. */
function leaksSecrets(isLeak: (request: PassedRequest, response: PassedResponse) => boolean): Breakage {
  const secrets = new Map<string, string>();
  const idIn = (path: string) => /\/v1\/webhooks\/(whe_[^/?]+)/.exec(path)?.[1] ?? '';
  return {
    response: (response, request) => {
      if (isLeak(request, response)) {
        return alterJson(response, (body) => ({ ...body, secret: secrets.get(idIn(request.path)) }));
      }
      return alterJson(response, (body) => {
        const made = madeSecret.safeParse(body);
        if (made.success) secrets.set(made.data.webhook.id, made.data.secret);
        return body;
      });
    },
  };
}

const verifying = [
  'v1 is the HMAC-SHA256 of <t>.<raw body>, keyed with the secret',
  'during the overlap the old secret verifies',
  'during the overlap the new secret verifies',
  'a replay is signed with its own time',
];

const scopedRoutes = [
  'GET /v1/webhooks/{id}',
  'DELETE /v1/webhooks/{id}',
  'POST /v1/webhooks/{id}/rotate',
  'GET /v1/webhooks/{id}/stats',
  'GET /v1/webhooks/{id}/activity',
  'GET /v1/webhooks/{id}/deliveries',
  'GET /v1/webhooks/{id}/deliveries/{deliveryId}',
  'POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay',
  'GET /v1/webhooks/{id}/replays',
  'GET /v1/webhooks/{id}/replays/{replayId}',
  'POST /v1/webhooks/{id}/replays/{replayId}/cancel',
];

const cursorEdits = [
  'first character changed',
  'second character changed',
  'middle changed',
  'last character changed',
  'end cut off',
  'something appended',
  'padding appended',
  'beginning cut off',
];

const notFoundAs403 = (response: PassedResponse): PassedResponse =>
  response.status !== 404
    ? response
    : { ...alterJson(response, (body) => ({ ...body, code: 'forbidden', status: 403 })), status: 403 };

/** Responds as if it had done what it refuses with a code. */
const accepting = (code: string, status: number, body: string) =>
  responding((response) =>
    response.body.includes(code)
      ? { ...withHeader(response, 'content-type', 'application/json'), status, body }
      : response,
  );

const otherReplayIds: Breakage = {
  inbox: (entries) => {
    const isRepeated = ({ headers }: InboxEntry, index: number) =>
      entries.findIndex((one) => one.headers['x-service-event-id'] === headers['x-service-event-id']) < index;
    return entries.map((entry, index) =>
      isRepeated(entry, index)
        ? { ...entry, headers: { ...entry.headers, 'x-service-event-id': `evt_${randomUUID()}` } }
        : entry,
    );
  },
};

/**
 * Every way in which the service is broken on purpose. The ways of one list break it at once: each fails checks of its
 * own, and leaves those of the others as they are.
 */
export const mutations: readonly (readonly Mutation[])[] = [
  [
    {
      title: 'clamps a limit that is too large',
      breakage: () => ({
        request: (request) => {
          const limit = queryOf(request).get('limit') ?? '';
          return /^\d+$/.test(limit) && Number(limit) > 100 ? withQuery(request, 'limit', '100') : request;
        },
      }),
      fails: [
        'the list of webhooks refuses limit=101',
        'the list of deliveries refuses limit=101',
        "the list of an endpoint's activity refuses limit=101",
        'limit=1000000000000 is not a number',
      ],
    },
    {
      title: 'has pages of 20 by default',
      breakage: () => ({
        request: (request) => (request.path.endsWith('/deliveries') ? withQuery(request, 'limit', '20') : request),
      }),
      fails: ['a page of deliveries has 25 records by default'],
    },
    {
      title: 'takes the cursors of other lists, filters and customers',
      breakage: () => takesCursors((cursor, issued) => issued.has(cursor)),
      fails: [
        'the list of webhooks refuses a cursor of deliveries',
        "the list of an endpoint's activity refuses a cursor of deliveries",
        "another endpoint's cursor is refused",
        "another customer's cursor is refused",
        'a cursor of another filter is refused',
      ],
    },
    {
      title: 'ignores cursors that it cannot read',
      breakage: () => takesCursors((cursor, issued) => !issued.has(cursor)),
      fails: [
        'the list of webhooks refuses a cursor that the service did not issue',
        'the list of deliveries refuses a cursor that the service did not issue',
        "the list of an endpoint's activity refuses a cursor that the service did not issue",
        ...cursorEdits.map((edit) => `an edited cursor is refused: ${edit}`),
      ],
    },
    {
      title: 'shows the signing secret again when a rotation is refused',
      breakage: () => leaksSecrets(({ path }, { status }) => path.endsWith('/rotate') && status === 409),
      fails: ['a signing secret is in the answer that created it and in no other'],
    },
    {
      title: 'writes signatures in upper case',
      breakage: signing((value) => value.replaceAll(/v1=([0-9a-f]+)/g, (_, hex) => `v1=${hex.toUpperCase()}`)),
      fails: [...verifying, 'v1 is lowercase hex'],
    },
    {
      title: 'gives a replay another event id',
      breakage: () => otherReplayIds,
      fails: ['a replay has the event id of its original'],
    },
  ],
  [
    {
      title: 'lists the oldest first',
      breakage: responding((response) =>
        alterJson(response, (body) => (Array.isArray(body.items) ? { ...body, items: body.items.toReversed() } : body)),
      ),
      fails: [
        'the list of webhooks is newest first',
        'the list of deliveries is newest first',
        "the list of an endpoint's activity is newest first",
        'a cursor can be used with another limit',
      ],
    },
    {
      title: 'repeats the last record of a page on the next one',
      breakage: () => {
        const lastBefore = new Map<string, unknown>();
        return {
          response: (response, request) => {
            if (!request.path.includes('/deliveries?limit=9')) return response;
            return alterJson(response, (body) => {
              const items = Array.isArray(body.items) ? body.items : [];
              if (typeof body.next_cursor === 'string') lastBefore.set(body.next_cursor, items.at(-1));
              const last = lastBefore.get(queryOf(request).get('cursor') ?? '');
              return { ...body, items: last === undefined ? items : [last, ...items] };
            });
          },
        };
      },
      fails: ['a walk visits no record twice'],
    },
  ],
  [
    {
      title: 'leaves out members that are null',
      breakage: responding((response) => alterJson(response, withoutNulls)),
      fails: [
        'a webhook has previous_secret_expires_at: a timestamp or null',
        'a webhook has activated_at: a timestamp, or null on an endpoint that never was active',
        'activated_at is null on an endpoint that failed its handshake',
        'previous_secret_expires_at is null while no overlap is open',
        'a webhook has failing_since: a timestamp, or null while events arrive',
        'failing_since is null while events arrive',
        'failing_since is null on an endpoint that failed its handshake',
      ],
    },
    {
      title: 'answers 403 for what belongs to another customer',
      breakage: responding(notFoundAs403),
      fails: scopedRoutes.map((route) => `${route} of another customer answers not_found`),
    },
    {
      title: 'leaves out Retry-After',
      breakage: responding((response) => withHeader(response, 'retry-after', undefined)),
      fails: [
        'Retry-After is a whole number of seconds within a minute',
        'after Retry-After the next request is admitted',
      ],
    },
    {
      title: 'refuses a request of a key after a burst of another one',
      breakage: () => {
        let [refusal, ofKey]: [PassedResponse?, string?] = [];
        let isDone = false;
        return {
          response: (response, { headers: { authorization } }) => {
            if (response.status === 429 && refusal === undefined) [refusal, ofKey] = [response, authorization];
            if (refusal === undefined || isDone || authorization === ofKey) return response;
            isDone = true;
            return refusal;
          },
        };
      },
      fails: ['each key has its own limit'],
    },
  ],
  [
    {
      title: 'shows the signing secret when an endpoint is read',
      breakage: () =>
        leaksSecrets(({ method, path }, { status }) => {
          return method === 'GET' && status === 200 && /^\/v1\/webhooks\/whe_[^/]+$/.test(path);
        }),
      fails: [
        'a signing secret is in the answer that created it and in no other',
        'a webhook that is read has no member secret',
      ],
    },
    {
      title: 'gives deliveries another prefix',
      breakage: () => ({
        request: (request) => ({ ...request, path: request.path.replaceAll('dlv_', 'whd_') }),
        response: (response) => ({ ...response, body: response.body.replaceAll('"whd_', '"dlv_') }),
      }),
      fails: [
        'a delivery has id: a string that begins with whd_',
        'a delivery has replay_of: null or the id of a delivery',
      ],
    },
    {
      title: 'answers a deletion with 200 and a body',
      breakage: responding((response) =>
        response.status === 204
          ? { ...withHeader(response, 'content-type', 'application/json'), status: 200, body: '{}' }
          : response,
      ),
      fails: ['a deletion answers 204 without a body'],
    },
    {
      title: 'begins a replay with one attempt',
      breakage: responding((response, { path }) =>
        !path.endsWith('/replay') || response.status !== 202
          ? response
          : alterJson(response, (body) => ({ delivery: { ...Object(body.delivery), attempts: 1 } })),
      ),
      fails: ['a replay begins with 0 attempts and no response'],
    },
    {
      title: 'replays a delivery that is still being attempted',
      breakage: accepting('delivery_in_progress', 202, '{"delivery":{}}'),
      fails: ['a delivery still being attempted cannot be replayed'],
    },
    {
      title: 'rotates inside the overlap',
      breakage: accepting('webhook_rotation_in_progress', 200, '{}'),
      fails: ['a second rotation inside the overlap is refused'],
    },
    {
      title: 'makes a fourth attempt',
      breakage: () => ({
        inbox: (entries, name) => (name.endsWith('-failing') ? [...entries, ...entries.slice(-1)] : entries),
      }),
      fails: ['there are at most 3 attempts'],
    },
  ],
  [
    {
      title: 'sends problems as application/json',
      breakage: responding((response) =>
        response.status >= 400 ? withHeader(response, 'content-type', 'application/json') : response,
      ),
      fails: ['every failure is application/problem+json'],
    },
    {
      title: 'writes another status into a problem than on the status line',
      breakage: responding((response) =>
        response.status === 404 ? alterJson(response, (body) => ({ ...body, status: 400 })) : response,
      ),
      fails: ['every problem document has status: the status of the answer'],
    },
    {
      title: 'lets caches keep its answers',
      breakage: responding((response) => withHeader(response, 'cache-control', undefined)),
      fails: ['no answer may be stored by a cache'],
    },
    {
      title: 'does not challenge with 401',
      breakage: responding((response) => withHeader(response, 'x-amzn-remapped-www-authenticate', undefined)),
      fails: ['every 401 asks for a Bearer credential'],
    },
    {
      title: 'signs with the new secret alone during a rotation overlap',
      breakage: signing((value) => value.split(',').slice(0, 2).join(',')),
      fails: ['during a rotation overlap there are two v1', 'during the overlap the old secret verifies'],
    },
  ],
  [
    {
      title: 'writes times without milliseconds',
      breakage: responding((response) => ({
        ...response,
        body: response.body.replaceAll(/(\d\d)\.\d{3}Z"/g, '$1Z"'),
      })),
      fails: ['every time in every answer is ISO 8601 in UTC with milliseconds, or null'],
    },
    {
      title: 'signs another serialisation than it sends',
      breakage: posting((entry) => {
        const body = JSON.parse(Buffer.from(entry.body_base64, 'base64').toString('utf8'));
        return { ...entry, body_base64: Buffer.from(JSON.stringify(body, null, 1)).toString('base64') };
      }),
      fails: [
        ...verifying,
        'every event that was sent verifies',
        'every attempt has its own signature',
        'what a public receiver gets verifies with the secret of the registration',
        'a public receiver gets the body that the API shows',
      ],
    },
  ],
];
