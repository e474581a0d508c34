import { describe, expect, it, vi } from 'vitest';
import { switches } from '../../tools/local/parties/receiver/behaviour.ts';
import { banner, blockTitle } from '../../tools/local/stack/banner.ts';
import { blockAfter, comparableLines } from '../support/docs/page-blocks.ts';
import { buildStackFile } from '../support/stack/stack-file.ts';

const info = buildStackFile();

describe('banner()', () => {
  it('names the stack file in its commands only if commands do not find it by themselves', () => {
    const command = 'npm run emit -- run.settled --customer cus_1 --wait';

    expect(banner(info, 1_000)).toContain(`  ${command}\n`);
    expect(banner(info, 1_000, "it's.json")).toContain(`  ${command} --stack-file 'it'\\''s.json'\n`);
  });

  it('names its commands as this one was typed', () => {
    vi.stubEnv('WEBHOOKS_LAUNCHER', String(process.ppid));

    expect(banner(info, 1_000)).toContain('node_modules/.bin/webhook-delivery emit run.settled');
    expect(banner(info, 1_000)).toContain('node_modules/.bin/webhook-delivery listen --forward');
  });

  it('has at most 110 columns, and no comment in the block, which an interactive zsh would run', () => {
    const text = banner(info, 1_000);

    const [, block = ''] = text.split(blockTitle);
    expect(text.split('\n').filter((line) => line.length > 110)).toEqual([]);
    expect(block).not.toMatch(/^\s*#/m);
  });

  it('names every switch of the test receiver', () => {
    const words = new Set(banner(info, 1_000).split(/\W+/));

    expect(switches.filter((name) => !words.has(name))).toEqual([]);
  });

  it('has the lines that docs/pages/first-event.md shows', () => {
    const shown = blockAfter('first-event.md', 'Then it prints an API key');

    const receiver = { ...info.receiver, inbox_url: 'http://127.0.0.1:9444/inbox' };
    const api_url = 'http://127.0.0.1:8787';
    const local = { ...info, api_url, docs_url: `${api_url}/docs`, receiver };
    expect(comparableLines(banner(local, 3_500))).toEqual(expect.arrayContaining([...comparableLines(shown)]));
  });
});
