import { expectEqual, expectThat, show } from '../harness/expect.ts';
import { at, pluck } from '../harness/json.ts';

/** Expects each member of a record, whose names may be dotted paths, to equal a value. */
export function expectMembers(record: unknown, wanted: object): void {
  for (const [path, value] of Object.entries(wanted))
    expectEqual(path, at(record, ...path.split('.')), value);
}

export function expectListed(page: unknown, id: string): void {
  const ids = pluck(page, 'id');
  expectThat(ids.includes(id), `a list with ${id}`, show(ids));
}

export function expectNotListed(page: unknown, id: string): void {
  const ids = pluck(page, 'id');
  expectThat(!ids.includes(id), `a list without ${id}`, show(ids));
}
