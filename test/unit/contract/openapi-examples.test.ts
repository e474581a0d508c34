import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { listQuery, noQuery } from '#shared/contract/list-query.ts';
import { Problem } from '#shared/contract/problem.ts';
import { bulkReplayRequest } from '#shared/contract/records/bulk-replay.ts';
import { exampleRequest } from '#shared/contract/records/example.ts';
import { registerWebhookBody } from '#shared/contract/records/webhook.ts';
import { isPublic, operationNames } from '#shared/contract/routes.ts';
import { plannedAt } from '#shared/domain/delivery.ts';
import { parseEndpointUrl } from '#shared/domain/endpoint-url.ts';
import { eventTypes } from '#shared/domain/event.ts';
import { idPrefixes, isOwnId } from '#shared/domain/ids.ts';
import { rotationOverlap, secretPrefix } from '#shared/domain/signing-secret.ts';
import { pastSelection } from '#shared/operations/replays/selection.ts';
import { parseBody, parseQuery } from '#shared/runtime/validate.ts';
import { openApiDocument } from '../../../site/openapi/document.ts';
import { responseExamples } from '../../../site/openapi/examples.ts';
import { failures } from '../../../site/openapi/failures.ts';
import { operationDetails } from '../../../site/openapi/operations.ts';
import { bodies, bodyWithExample, sentAt } from '../../../site/openapi/schemas/event-schemas.ts';
import { secrets } from '../../../site/openapi/story.ts';
import { buildLogEntry } from '../../support/values/builders.ts';

type Found = Readonly<Record<string, unknown>>;

/** Every object in the examples of the document. */
function objectsIn(value: unknown, isExample = false): readonly Found[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.entries(value).flatMap(([name, each]) =>
    objectsIn(each, isExample || name === 'example' || name === 'examples'),
  );
  return isExample && !Array.isArray(value) ? [Object(value), ...inside] : inside;
}

const objects = objectsIn(openApiDocument());
const text = JSON.stringify(openApiDocument());
const headers = z.record(
  z.string(),
  z.object({ post: z.object({ parameters: z.array(z.object({ name: z.string(), example: z.string() })) }) }),
);

describe('the examples of docs/openapi.json', () => {
  it('a record has the same facts in every example', () => {
    const lasting = ['created_at', 'event_id', 'event_type', 'run_id', 'kind', 'url', 'settled_at', 'type'];
    const said = objects
      .filter(({ id }) => typeof id === 'string')
      .flatMap((each) => lasting.map((name) => [`${name} of ${each.id}`, each[name]] as const))
      .filter(([, value]) => value !== undefined);
    const facts = new Map(said);

    expect(said.filter(([fact, value]) => facts.get(fact) !== value)).toEqual([]);
    expect(facts.size).toBeGreaterThan(20);
  });

  it('a delivery is about the event, the Run, the Tracker and the report of its event', () => {
    const events = new Map(
      [...Object.values(bodies), bodyWithExample].map((body) => [JSON.parse(body).id, JSON.parse(body)]),
    );
    const deliveries = objects.filter(({ event_id }) => event_id !== undefined);

    expect(deliveries.length).toBeGreaterThan(4);
    for (const delivery of deliveries) {
      const { type: event_type, ...event } = events.get(delivery.event_id);
      expect(delivery.event_type).toBe(event_type);
      for (const member of ['run_id', 'tracker_id', 'change_report_id'])
        expect(delivery[member]).toBe(event[member] ?? null);
    }
  });

  it('times are in the order in which they happen', () => {
    const orders = [
      ['created_at', 'activated_at', 'last_delivery_at'],
      ['created_at', 'last_attempt_at', 'delivered_at'],
      ['created_at', 'settled_at'],
    ];

    for (const each of objects) {
      for (const names of orders) {
        const times = names.map((name) => each[name]).filter((time) => typeof time === 'string');
        // The test event is answered before the endpoint is active.
        if (each.last_delivery_at !== responseExamples.registerWebhook.webhook.last_delivery_at) {
          expect(times, JSON.stringify(each)).toEqual(times.toSorted());
        }
      }
    }
  });

  it('the delivery and its attempts tell the same', () => {
    const { attempt_log, ...delivery } = responseExamples.getDelivery;
    const last = attempt_log.at(-1);

    expect(delivery.attempts).toBe(attempt_log.length);
    expect(delivery.last_attempt_at).toBe(last?.at);
    expect(delivery.response_status).toBe(last?.response_status);
    const log = attempt_log.map(({ at, duration_ms }) =>
      buildLogEntry({ at: Date.parse(at), durationMs: duration_ms }),
    );
    const planned = log.slice(1).map((_, index) => plannedAt({ id: delivery.id, log }, index + 1));
    expect(attempt_log.map(({ planned_at }) => Date.parse(planned_at))).toEqual([
      Date.parse(delivery.created_at),
      ...planned,
    ]);
    for (const { at, duration_ms, timings } of attempt_log) {
      expect(timings.dns_ms + timings.connect_ms + timings.tls_ms + timings.first_byte_ms).toBeLessThanOrEqual(
        duration_ms,
      );
      expect(Date.parse(at) + duration_ms).toBeLessThanOrEqual(Date.parse(delivery.delivered_at));
    }
  });

  it('ids have the form of those that the service makes', () => {
    const kinds = ['webhook', 'delivery', 'event', 'run', 'tracker', 'changeReport', 'creator'] as const;
    const ids = kinds.flatMap((kind) =>
      [...text.matchAll(new RegExp(`\\b${idPrefixes[kind]}[0-9A-Z]+`, 'g'))].map(([id]) => ({ kind, id })),
    );

    expect(ids.length).toBeGreaterThan(50);
    expect(ids.filter(({ kind, id }) => !isOwnId(kind, id))).toEqual([]);
  });

  it('each secret belongs to its prefix, and the overlap of the rotation is the same everywhere', () => {
    const { registerWebhook: registration, rotateSecret: rotation } = responseExamples;

    expect(registration.webhook.secret_prefix).toBe(secretPrefix(registration.secret));
    expect(rotation.webhook.secret_prefix).toBe(secretPrefix(rotation.secret));
    const ends = objects.flatMap((each) => each.overlap_expires_at ?? []);
    expect(new Set([...ends, rotation.webhook.previous_secret_expires_at])).toEqual(
      new Set([rotation.overlap_expires_at]),
    );
    expect(Date.parse(rotation.overlap_expires_at) - rotationOverlap).toBeGreaterThan(
      Date.parse(responseExamples.replayDelivery.delivery.created_at),
    );
  });
});

/** The `detail` with which the service refuses a request. */
function refusalOf(request: () => unknown): string | undefined {
  try {
    request();
    return undefined;
  } catch (error) {
    return error instanceof Problem ? error.detail : undefined;
  }
}

const url = parseEndpointUrl('http://hooks.example.com/runs');
const wordsOf: Readonly<Record<string, string | undefined>> = {
  body: url.ok ? undefined : url.detail,
  range: refusalOf(() => pastSelection({ status: 'failed', createdAfter: 1, createdBefore: null }, 0)),
  type: refusalOf(() => parseBody(exampleRequest, { type: 'webhook.test' })),
  query: refusalOf(() => parseQuery(listQuery, { limit: ['0'] })),
  neither: refusalOf(() => parseQuery(noQuery, { limit: ['10'] })),
};

const kinds: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [registerWebhookBody, 'body'],
  [bulkReplayRequest, 'range'],
  [exampleRequest, 'type'],
]);

it.each(operationNames.filter((name) => !isPublic(name)))(
  'the invalid request to %s is refused in the words of the service',
  (name) => {
    const { body, query } = operationDetails[name];
    const kind = kinds.get(body) ?? (query === undefined ? 'neither' : 'query');

    const response = z
      .object({ 400: z.object({ content: z.record(z.string(), z.object({ examples: z.unknown() })) }) })
      .parse(failures(name))[400];

    expect(wordsOf[kind]).toEqual(expect.any(String));
    expect(response.content['application/problem+json']?.examples).toMatchObject({
      invalid_request: { value: { detail: wordsOf[kind] } },
    });
  },
);

describe('the example headers of events', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  it.each(eventTypes)('the example signature of %s verifies the example body', (type) => {
    vi.setSystemTime(Date.parse(sentAt[type]));
    const { post } = headers.parse(openApiDocument().webhooks)[type] ?? { post: { parameters: [] } };
    const sent = Object.fromEntries(post.parameters.map((each) => [each.name, each.example]));

    expect(new Webhook(secrets.first).verify(bodies[type], sent)).toMatchObject({ type });
    expect(sent['X-Service-Event-Id']).toBe(JSON.parse(bodies[type]).id);
    expect(sent['X-Service-Event-Type']).toBe(type);
  });
});
