import { describe, expect, it } from 'vitest';
import { show } from '../../../tools/operator/cli/output.ts';
import { textTable } from '../../../tools/operator/cli/text-table.ts';

describe('textTable()', () => {
  it('aligns its columns, without spaces at the end of a line', () => {
    expect(
      textTable(
        ['ID', 'NAME', 'CREATED'],
        [
          ['cus_1', 'Acme', null],
          ['cus_22', '', 'today'],
        ],
      ),
    ).toEqual(['ID      NAME  CREATED', 'cus_1   Acme  -', 'cus_22  -     today']);
  });

  it('keeps a row on one line, and removes control characters', () => {
    expect(textTable(['NAME'], [['a\nb\tc'], ['\u001b[31mred\u202e']])).toEqual(['NAME', 'a b c', '[31mred']);
  });
});

const printed = (options: { readonly json?: true }): string => {
  const written: string[] = [];
  show((text) => written.push(text), options, { id: 1 }, ['One', 'Two']);
  return written.join('');
};

it('show() prints lines for a person, or one line of JSON', () => {
  expect([printed({}), printed({ json: true })]).toEqual(['One\nTwo\n', '{"id":1}\n']);
});
