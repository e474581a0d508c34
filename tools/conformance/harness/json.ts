import { expectEqual, expectThat, show } from './expect.ts';

/** A member of an unknown JSON value at any depth; `undefined` when a part of the path is missing. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined;
    found = Reflect.get(found, step);
  }
  return found;
}

/** @throws Mismatch when the member is not a string */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  expectThat(typeof found === 'string', `a string at ${path.join('.')}`, `${show(found)} in ${show(value)}`);
  return found;
}

/** @throws Mismatch when the member is not an array */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  expectThat(Array.isArray(found), `an array at ${path.join('.')}`, `${show(found)} in ${show(value)}`);
  return found;
}

/** The array at a member, empty when there is none. */
export function listOrNone(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** A member of every item of a page. @throws Mismatch when the page has no items */
export function pluck(page: unknown, name: string): readonly unknown[] {
  return listAt(page, 'items').map((item) => at(item, name));
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Expects each member of a record, whose names may be dotted paths, to equal a value. */
export function expectMembers(record: unknown, wanted: object): void {
  for (const [path, value] of Object.entries(wanted)) expectEqual(path, at(record, ...path.split('.')), value);
}

export function expectListed(page: unknown, id: string, isWanted = true): void {
  const ids = pluck(page, 'id');
  expectThat(ids.includes(id) === isWanted, `a list with${isWanted ? '' : 'out'} ${id}`, show(ids));
}

export function expectNotListed(page: unknown, id: string): void {
  expectListed(page, id, false);
}
