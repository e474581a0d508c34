/** A difference between the API's promise and the service's response. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';
  readonly expected: string;
  readonly got: string;

  constructor(expected: string, got: string) {
    super(`expected ${expected}, got ${got}`);
    this.expected = expected;
    this.got = got;
  }
}

const shownLength = 300;

/** Formats a value for a failure report. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? String(value));
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}

export function expectThat(holds: boolean, expected: string, got: unknown): asserts holds {
  if (!holds) throw new Mismatch(expected, typeof got === 'string' ? got : show(got));
}

export function expectEqual(what: string, got: unknown, wanted: unknown): void {
  expectThat(
    JSON.stringify(got) === JSON.stringify(wanted),
    `${what} ${show(wanted)}`,
    `${what} ${show(got)}`,
  );
}

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

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the values never increase. */
export function isSortedDescending(values: readonly string[]): boolean {
  return values.every((value, index) => index === 0 || (values[index - 1] ?? '') >= value);
}
