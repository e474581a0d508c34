import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { computedHeaders, curlCommand } from '../../../console/views/deliveries/curl.ts';

const folder = mkdtempSync(join(tmpdir(), 'curl-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** In place of curl: writes its arguments, each with NUL behind it, and its input if it is asked for. */
const writeGiven = `#!/bin/sh
printf GIVEN
printf '%s\\0' "$@"
case "$*" in *' @-') cat ;; esac
`;
writeFileSync(join(folder, 'curl'), writeGiven, { mode: 0o755 });

/** The second expands `!` as a terminal does. */
const shells = [
  ['sh', []],
  ['bash', ['--norc', '--noprofile', '-i']],
] as const;

const url = "https://hooks.example.com/a'b/$(id)/[1-2]/../c?x=`id`&y=!!";
const headers = [
  { name: 'Content-Type', value: 'application/json' },
  { name: 'X-Service-Event-Type', value: '' },
  { name: 'X-Service-Signature', value: null },
  { name: 'webhook-id', value: `$HOME 'a' "b" !id` },
  { name: 'webhook-timestamp', value: null },
];

const hostile = {
  'single and double quotes': `{"a":"it's \\"here\\"''","b":"'\\\\''"}`,
  'substitutions of a shell': '{"a":"$HOME $PATH $(id) `id` $((1+1)) ~ * ? ; & | > < #"}',
  'exclamation marks': `{"a":"!! !id it's !$ \\!x"}`,
  'backslashes and percent signs': '{"a":"\\\\n \\u0000 \\\\\\\\0101 %s %b %%"}\\',
  'an at sign first': '@/etc/hostname',
  nothing: '',
  'line breaks, tabs, NUL and escapes': `a\nb\r\nc\td\0e\u001b[2J\u007f it's $HOME \`id\` !! \\n \\0101 %s\n\n`,
  'characters beyond ASCII': 'é 漢字 😀 \u2028 \u202e',
};

describe.each(shells)('pasted into %s, the command gives curl', (shell, options) => {
  it.each(Object.entries(hostile))('the exact bytes of a body with %s', (_what, body) => {
    const { stdout } = spawnSync(shell, options, {
      input: `${curlCommand({ url, headers, body })}\n`,
      env: { PATH: `${folder}${delimiter}${process.env.PATH}`, LC_ALL: 'C.UTF-8' },
      encoding: 'utf8',
    });
    const [, printed = ''] = stdout.split('GIVEN');
    const [given = '', input] = printed.split('@-\0');

    expect(given.split('\0').slice(0, -1)).toEqual([
      ...['-i', '--globoff', '--path-as-is', url],
      ...['-H', 'Content-Type: application/json', '-H', 'X-Service-Event-Type;'],
      ...['-H', `webhook-id: $HOME 'a' "b" !id`, '-H', 'Accept: */*'],
      ...(input === undefined ? ['--data-raw', body] : ['--data-binary']),
    ]);
    expect(input ?? body).toBe(body);
  });
});

it('the command has no line break inside a text, and leaves out the headers of each attempt', () => {
  const command = curlCommand({ url, headers, body: 'a\nb' });

  expect(command.split('\n').slice(0, -1)).toSatisfy((lines: string[]) => lines.every((line) => line.endsWith(' \\')));
  expect(computedHeaders({ headers })).toEqual(['X-Service-Signature', 'webhook-timestamp']);
});
