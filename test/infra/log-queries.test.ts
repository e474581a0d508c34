import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { noQuery } from '#shared/contract/list-query.ts';
import { problem } from '#shared/contract/problem.ts';
import type { TelemetryEvent } from '#shared/operations/telemetry-event.ts';
import { repositoryRoot } from '../../lib/bundle.ts';
import { logQueries } from '../../lib/log-queries.ts';
import { buildApiEvent, buildSqsEvent, captureOutput, lambdaContext } from '../support/aws/lambda-events.ts';
import { queriesOf, queryFields } from '../support/logs/query-fields.ts';
import { unexpected } from '../support/operations/deps.ts';
import {
  buildDelivery,
  buildLogEntry,
  customerId,
  startOfTest,
  webhookId,
} from '../support/values/builders.ts';
import { type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

const delivery = buildDelivery({ body: '{"id":"evt_1","type":"run.completed","run_id":"run_1"}' });
const endpoint = { customerId, id: webhookId };
const cause = new Error('throttled');

/** Every event that functions log, with every fact that it can have. */
const events: { readonly [Name in TelemetryEvent['name']]: TelemetryEvent & { readonly name: Name } } = {
  'delivery.attempted': {
    name: 'delivery.attempted',
    delivery,
    attempt: 1,
    entry: buildLogEntry({ outcome: 'rejected', responseStatus: 500, error: 'Refused' }),
    transition: { status: 'pending', retryAt: startOfTest },
  },
  'delivery.interrupted': {
    name: 'delivery.interrupted',
    delivery,
    attempt: 1,
    transition: { status: 'pending', retryAt: startOfTest },
  },
  'delivery.cancelled': { name: 'delivery.cancelled', delivery, reason: 'endpoint_deleted' },
  'delivery.superseded': { name: 'delivery.superseded', delivery, attempt: 1 },
  'delivery.stranded': { name: 'delivery.stranded', delivery, createdAt: startOfTest },
  'attempt.released': { name: 'attempt.released', delivery, attempt: 1, reason: 'out_of_time' },
  'endpoint.slow': { name: 'endpoint.slow', endpoint },
  'endpoint.quick_again': { name: 'endpoint.quick_again', endpoint },
  'intake.done': {
    name: 'intake.done',
    results: ['accepted'],
    events: [{ customerId, event: delivery.event, deliveries: 1, isRepeated: true }],
  },
  unknown_customer: { name: 'unknown_customer', type: 'run.settled', customerId },
  'row.unreadable': { name: 'row.unreadable', kind: 'Run', key: { pk: 'p', sk: 's' }, fault: 'none' },
  'step.failed': { name: 'step.failed', step: 'schedule', delivery, cause },
};

const stageSchema = z.looseObject({ AccessLogSetting: z.object({ Format: z.string() }) });
const accessLogSchema = z.record(z.string(), z.string());
const lineSchema = z.looseObject({ message: z.string() });

let stage: SynthesizedStage;
let page: string;
let operating: string;
let output: () => string;

beforeAll(async () => {
  stage = await synthesizeStage();
  page = await readFile(join(repositoryRoot, 'docs/runbook.md'), 'utf8');
  operating = await readFile(join(repositoryRoot, 'docs/operating.md'), 'utf8');
});

beforeEach(() => {
  vi.stubEnv('STAGE', 'dev');
  output = captureOutput();
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

afterAll(() => stage.remove());

describe('Logs Insights queries', () => {
  it('the runbook has queries, and each reads only fields that log lines have', async () => {
    const known = await knownFields();
    const queries = queriesOf(page);

    expect(queries.length).toBeGreaterThanOrEqual(8);
    expect(unknownFields(queries, known)).toEqual([]);
  });

  it('the queries of docs/operating.md read only fields that log lines have', async () => {
    expect(unknownFields(queriesOf(operating), await knownFields())).toEqual([]);
  });

  it('the queries of the dashboard read only fields that log lines have', async () => {
    const queries = Object.values(logQueries).map((lines) => lines.join('\n| '));

    expect(unknownFields(queries, await knownFields())).toEqual([]);
  });

  it('a query that reads a field of no log line is found', async () => {
    const query =
      'filter delivery_id = "whd_1" | stats count(*) as n, max(durationMs) by webhook_id | sort n desc';

    expect(unknownFields([query], await knownFields())).toEqual(['durationMs']);
  });

  it('each message that a query of the runbook filters by is one that functions log', async () => {
    const known = new Set((await lines()).map(({ message }) => message));

    const named = [...page.matchAll(/message (?:=|in) (\[[^\]]+\]|"[^"]+")/g)].flatMap(
      ([, names = '']) => names.match(/[\w.]+/g) ?? [],
    );

    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});

function unknownFields(queries: readonly string[], known: ReadonlySet<string>): readonly string[] {
  return [...new Set(queries.flatMap(queryFields))].filter((name) => !known.has(name));
}

/** The members of every line that functions and API Gateway log, with their parents' names. */
async function knownFields(): Promise<ReadonlySet<string>> {
  const [properties] = Object.values(stage.api.findResources('AWS::ApiGateway::Stage'));
  const { Format } = stageSchema.parse(properties?.Properties).AccessLogSetting;
  const access = Object.keys(accessLogSchema.parse(JSON.parse(Format)));
  return new Set([...(await lines()).flatMap((line) => pathsOf(line)), ...access]);
}

/** The lines of a function of each kind: every event, two requests, and a batch with a malformed message. */
async function lines(): Promise<readonly z.infer<typeof lineSchema>[]> {
  const { report, withRequestId } = await import('#shared/runtime/telemetry.ts');
  const { queueHandler } = await import('#shared/runtime/queue-handler.ts');
  await withRequestId(async () => Object.values(events).forEach(report))({}, lambdaContext);
  const handler = queueHandler(z.object({ n: z.int() }), {
    process: unexpected('process'),
    sendToDeadLetters: async () => {},
  });
  await handler(buildSqsEvent('{"n":"one"}'), lambdaContext);
  await request(async () => 'done');
  await request(() => Promise.reject(problem('not_found')));
  await request(() => Promise.reject(cause));
  return output()
    .trim()
    .split('\n')
    .map((line) => lineSchema.parse(JSON.parse(line)));
}

async function request(run: () => Promise<unknown>): Promise<void> {
  const { apiHandler } = await import('#shared/runtime/api-handler.ts');
  const authenticate = async () => ({ customerId, credentialId: 'aky_1' });
  const limitRequests = async () => ({ admitted: true, headers: {}, retryAfter: 1 });
  const handler = apiHandler(
    'getWebhook',
    { docsUrl: 'https://docs.example.com', authenticate, limitRequests },
    noQuery,
    run,
  );
  await handler(buildApiEvent(), lambdaContext);
}

function pathsOf(value: object, parent = ''): readonly string[] {
  return Object.entries(value).flatMap(([name, member]) => [
    `${parent}${name}`,
    ...(member instanceof Object ? pathsOf(member, `${parent}${name}.`) : []),
  ]);
}
