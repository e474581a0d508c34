import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { switches } from '../../../tools/local/parties/receiver/behaviour.ts';
import { emittableTypes } from '../../../tools/operator/emit/example-messages.ts';
import { markdownTables, rowsWith } from '../../architecture/test-titles.ts';
import { readPage } from '../../support/docs/page-examples.ts';

const { text: page } = await readPage('local-development.md');

/** The sources that declare the flags of a command. */
const declarations: Readonly<Record<string, readonly string[]>> = {
  'npm start': ['tools/local/stack/command-line.ts'],
  'npm run listen': ['tools/local/listen/command-line.ts'],
  'npm run emit': ['tools/operator/emit/emit-options.ts', 'tools/operator/emit/emit-program.ts'],
};

/** Every command of the page, and its flags. */
const commands = [...page.replaceAll('\\\n', '').matchAll(/(npm start|npm run \w+)(?: -- ([^\n`]*))?/g)].map(
  ([, command = '', rest = '']) => ({ command, flags: rest.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [] }),
);

/** The flags in the tables of a section. */
function flagsIn(section: string): readonly string[] {
  const text = page.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = markdownTables(text).flatMap(({ rows }) => rows);
  return rows.flatMap(({ cells }) => cells[0]?.match(/--[a-z-]+/g) ?? []);
}

describe('docs/pages/local-development.md', () => {
  it('uses flags that the commands have', async () => {
    const used = [
      ...commands,
      { command: 'npm start', flags: flagsIn('Start') },
      { command: 'npm run listen', flags: flagsIn('Listen') },
    ];
    const sources = Object.entries(declarations).map(async ([command, files]) => {
      const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
      return [command, texts.join('\n')] as const;
    });
    const sourceOf = new Map(await Promise.all(sources));

    const unknown = used.flatMap(({ command, flags }) =>
      flags
        .filter((flag) => flag !== '--help' && !sourceOf.get(command)?.includes(`'${flag}`))
        .map((flag) => `${command} ${flag}`),
    );
    expect(flagsIn('Start').length + flagsIn('Listen').length).toBeGreaterThan(7);
    expect(unknown).toEqual([]);
  });

  it('shows every switch of the test receiver', () => {
    const used = rowsWith(page, 'Query').flatMap(([query = '']) => [...query.matchAll(/[?&](\w+)=/g)]);

    expect(new Set(used.map(([, name]) => name))).toEqual(new Set(switches));
  });

  it('emits messages that exist', () => {
    const types = [...page.matchAll(/npm run emit -- ([\w.]+)/g)].map(([, type]) => type ?? '');

    expect(types.length).toBeGreaterThan(1);
    expect(types.filter((type) => !emittableTypes.some((known) => known === type))).toEqual([]);
  });
});
