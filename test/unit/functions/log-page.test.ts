import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { expectTable } from '../../support/docs/page-examples.ts';
import { meanings } from '../../support/logs/every-event.ts';
import { exampleLines } from '../../support/logs/example-lines.ts';
import { readEmbedded } from '../../support/metrics/embedded-format.ts';

/** In every line, so that the table need not repeat them. */
const common = ['level', 'message', 'timestamp', 'service', 'function_request_id'];

it('docs/logs.md has every line that functions log, with its level, members and metrics', async () => {
  const head = ['Line', 'Level', 'Functions', 'When', 'Members', 'Metrics'];

  await expectTable('../logs.md', 'lines', [head, ...rowsOf(await exampleLines())]);
});

const anyLine = z.record(z.string(), z.unknown());

it('every member of a line, and every metric, has the value of its name', async () => {
  const lines = (await exampleLines()).map((line) => {
    const { timestamp: _, _aws, ...members } = anyLine.parse(JSON.parse(line));
    return `${JSON.stringify(members)}\n`;
  });

  const recorded = join(import.meta.dirname, 'recorded/log-lines.jsonl');
  await expect(lines.join(''), 'Run `npm run record` and read the difference').toMatchFileSnapshot(recorded);
});

const messageSchema = z.looseObject({ message: z.string(), level: z.string() });

function rowsOf(lines: readonly string[]): readonly string[][] {
  const read = lines.map((line) => readEmbedded(line));
  const byMessage = Map.groupBy(
    read.filter(({ facts }) => 'message' in facts),
    ({ facts }) => messageSchema.parse(facts).message,
  );
  return Object.entries(meanings).map(([name, [by, when]]) => {
    const found = byMessage.get(name) ?? [];
    expect(found.length, `lines ${name}`).toBeGreaterThan(0);
    const levels = new Set(found.map(({ facts }) => messageSchema.parse(facts).level));
    const members = found.flatMap(({ facts }) => Object.keys(facts)).filter((each) => !common.includes(each));
    const measured = found.flatMap(({ data }) => data.map((datum) => datum.name));
    return [code([name]), [...levels].join(', '), by, when, code(members), code(measured)];
  });
}

function code(names: readonly string[]): string {
  return [...new Set(names)].map((name) => `\`${name}\``).join(', ');
}
