import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { blockAfter } from '../../support/docs/page-blocks.ts';

const sql = (name: string): string => blockAfter('migrate.md', `<!-- program: ${name} -->\n`);
const numbered = (text: string): string => text.replaceAll(/\$(\d)/g, '?$1');

describe('the statements in docs/pages/migrate.md', () => {
  it('do the work of an event once, and list what came from one sender only', () => {
    const database = new DatabaseSync(':memory:');
    database.exec(sql('tables'));
    const [arrival = '', work = ''] = numbered(sql('arrival')).split(/(?<=;)\n/);
    const isNew = (about: string, sender: string): boolean => {
      database.prepare(arrival).run(about, sender);
      return database.prepare(work).run(about).changes === 1;
    };
    const missing = (before: string) => database.prepare(numbered(sql('missing'))).all(before);

    expect([isNew('run_1', 'old'), isNew('run_1', 'new'), isNew('run_1', 'new')]).toEqual([true, false, false]);
    expect([isNew('run_2', 'old'), isNew('chg_1', 'new'), isNew('chg_1', 'new')]).toEqual([true, true, false]);

    const found = missing('9999-01-01').map(({ about, only_from: from }) => `${about} ${from}`);
    expect(found.toSorted()).toEqual(['chg_1 new', 'run_2 old']);
    expect(missing('2000-01-01')).toEqual([]);
  });
});
