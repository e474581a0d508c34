import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { meanings } from '../../support/logs/every-event.ts';
import { exampleLines } from '../../support/logs/example-lines.ts';
import { readEmbedded } from '../../support/metrics/embedded-format.ts';

const root = join(import.meta.dirname, '../../..');
const path = join(root, 'docs/logs.md');
const marker = /<!-- table: log lines -->\n[\s\S]*?<!-- end of table -->/;

/** In every line, so that the table need not repeat them. */
const common = ['level', 'message', 'timestamp', 'service', 'function_request_id'];

it('docs/logs.md has every line that functions log, with its level, members and metrics', async () => {
  const rows = tableOf(await exampleLines());

  const page = readFileSync(path, 'utf8');
  const expected = page.replace(marker, () => `<!-- table: log lines -->\n\n${rows}\n\n<!-- end of table -->`);
  await expect(expected, 'Run `npx vitest run test/unit/functions/log-page.test.ts -u`').toMatchFileSnapshot(path);
});

const messageSchema = z.looseObject({ message: z.string(), level: z.string() });

function tableOf(lines: readonly string[]): string {
  const read = lines.map((line) => readEmbedded(line));
  const byMessage = Map.groupBy(
    read.filter(({ facts }) => 'message' in facts),
    ({ facts }) => messageSchema.parse(facts).message,
  );
  const rows = Object.entries(meanings).map(([name, [by, when]]) => {
    const found = byMessage.get(name) ?? [];
    expect(found.length, `lines ${name}`).toBeGreaterThan(0);
    const levels = new Set(found.map(({ facts }) => messageSchema.parse(facts).level));
    const members = found.flatMap(({ facts }) => Object.keys(facts)).filter((each) => !common.includes(each));
    const measured = found.flatMap(({ data }) => data.map((datum) => datum.name));
    return [code([name]), [...levels].join(', '), by, when, code(members), code(measured)];
  });
  return [['Line', 'Level', 'Functions', 'When', 'Members', 'Metrics'], Array(6).fill('---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function code(names: readonly string[]): string {
  return [...new Set(names)].map((name) => `\`${name}\``).join(', ');
}
