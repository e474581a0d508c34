import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { repositoryRoot } from '../../lib/build/bundle.ts';
import { logQueries } from '../../lib/monitoring/log-queries.ts';
import { exampleLines } from '../support/logs/example-lines.ts';
import { synthesizeStage } from './synthesized-stage.ts';

const stageSchema = z.looseObject({ AccessLogSetting: z.object({ Format: z.string() }) });
const accessLogSchema = z.record(z.string(), z.string());
const lineSchema = z.looseObject({ message: z.string() });

const stage = await synthesizeStage();
const page = await readFile(join(repositoryRoot, 'docs/runbook.md'), 'utf8');
const watch = await readFile(join(repositoryRoot, 'docs/operating/watch.md'), 'utf8');
const ofDashboard = Object.values(logQueries).map((lines) => lines.join('\n| '));

afterEach(() => {
  vi.restoreAllMocks();
});

describe('Logs Insights queries', () => {
  it.each([
    ['docs/runbook.md', queriesOf(page)],
    ['docs/operating/watch.md', queriesOf(watch)],
    ['the dashboard', ofDashboard],
  ])('the queries of %s read only fields that log lines have', async (_place, queries) => {
    expect(queries).not.toEqual([]);
    expect(unknownFields(queries, await knownFields())).toEqual([]);
  });

  it('a query that reads a field of no log line is found', async () => {
    const query = 'filter delivery_id = "whd_1" | stats count(*) as n, max(durationMs) by webhook_id | sort n desc';

    expect(unknownFields([query], await knownFields())).toEqual(['durationMs']);
  });

  it.each([
    ['docs/runbook.md', page],
    ['the dashboard', ofDashboard.join()],
  ])('each message that the queries of %s filter by is one that functions log', async (_place, queries) => {
    const known = new Set((await lines()).map(({ message }) => message));

    const named = [...queries.matchAll(/message (?:=|in) (\[[^\]]+\]|"[^"]+")/g)].flatMap(
      ([, names = '']) => names.match(/[\w.]+/g) ?? [],
    );

    expect(named.length).toBeGreaterThan(4);
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

async function lines(): Promise<readonly z.infer<typeof lineSchema>[]> {
  return (await exampleLines()).map((line) => lineSchema.parse(JSON.parse(line)));
}

function pathsOf(value: object, parent = ''): readonly string[] {
  return Object.entries(value).flatMap(([name, member]) => [
    `${parent}${name}`,
    ...(member instanceof Object ? pathsOf(member, `${parent}${name}.`) : []),
  ]);
}

/** Words of the query language of Logs Insights that runbook and dashboard use. */
const words = new Set(
  'filter stats sort limit fields display parse by as and or not in like asc desc is null'.split(' '),
);

/** `count(`: a function. `as failed`: a name that the query itself gives. */
const functionCall = /\b\w+(?=\()/g;
const alias = /\bas (\w+)/g;
const literal = /"[^"]*"|'[^']*'|\/[^/]+\/|\b\d+\w*\b/g;
const field = /@?[a-z_]\w*(?:\.\w+)*/g;

/** The fields of log lines that a query reads, without those that CloudWatch adds (`@timestamp`). */
function queryFields(query: string): readonly string[] {
  const plain = query.replaceAll(literal, ' ');
  const given = new Set([...plain.matchAll(alias)].map(([, name]) => name));
  const named = plain.replaceAll(functionCall, ' ').match(field) ?? [];
  const read = named.filter((name) => !words.has(name) && !given.has(name) && !name.startsWith('@'));
  return [...new Set(read)];
}

/** The queries of a page: its blocks of text that begin with a command of the query language. */
function queriesOf(page: string): readonly string[] {
  const blocks = [...page.matchAll(/^```text\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  const inline = [...page.matchAll(/`(filter [^`]+)`/g)].map(([, text = '']) => text);
  return [...blocks.filter((text) => /^(filter|fields|stats)\b/.test(text)), ...inline];
}
