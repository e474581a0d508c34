import { type AttributeValue, type Item, readItem, validationError } from '../attribute-value.ts';
import { parseCondition, parseProjection, parseStatement, parseUpdate } from './parse.ts';
import type { Change, Condition, Parsed, Path } from './tree.ts';

export type Placeholders = {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: unknown;
};

/** Texts are few and the same again, and reading one costs more than all that is done with it. */
function remembered<T>(parse: (text: string) => Parsed<T>): (text: string) => Parsed<T> {
  const known = new Map<string, Parsed<T>>();
  return (text) => {
    const found = known.get(text) ?? parse(text);
    if (known.size < 1000) known.set(text, found);
    return found;
  };
}

const conditions = remembered(parseCondition);
const updates = remembered(parseUpdate);
const projections = remembered(parseProjection);
export const statements = remembered(parseStatement);

/** The names and values beside the expressions of one request, each of which an expression must use. */
export class Scope {
  readonly #names: Readonly<Record<string, string>>;
  readonly #values: Item;
  readonly #used = new Set<string>();

  constructor({ ExpressionAttributeNames: names, ExpressionAttributeValues: values }: Placeholders) {
    this.#names = names ?? {};
    this.#values = values === undefined ? {} : readItem(values);
    if (names !== undefined) refuseEmpty('ExpressionAttributeNames', this.#names);
    if (values !== undefined) refuseEmpty('ExpressionAttributeValues', this.#values);
  }

  condition(text: string | undefined): Condition | null {
    return text === undefined ? null : this.#use(conditions(text));
  }

  update(text: string | undefined): readonly Change[] {
    return text === undefined ? [] : this.#use(updates(text));
  }

  /** The names of the attributes that are read; `null`: all. */
  projection(text: string | undefined): readonly string[] | null {
    if (text === undefined) return null;
    const paths = this.#use(projections(text));
    if (paths.some(({ length }) => length > 1))
      throw validationError('Projections of nested attributes are not built here');
    const names = paths.map(([name]) => this.name(String(name)));
    if (new Set(names).size < names.length)
      throw validationError(
        'Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of these paths',
      );
    return names;
  }

  /** @throws AwsError when no expression uses a name or value */
  checkUsed(): void {
    if (this.#used.size === Object.keys(this.#names).length + Object.keys(this.#values).length) return;
    for (const [given, member] of [
      [this.#names, 'ExpressionAttributeNames'],
      [this.#values, 'ExpressionAttributeValues'],
    ] as const) {
      const unused = Object.keys(given).filter((name) => !this.#used.has(name));
      if (unused.length > 0)
        throw validationError(`Value provided in ${member} unused in expressions: keys: {${unused.join(', ')}}`);
    }
  }

  value(name: string): AttributeValue {
    const value = this.#values[name];
    if (value === undefined) throw undefinedIn('attribute value', name);
    return value;
  }

  /** A path without placeholders. */
  path(path: Path): Path {
    return path.some((part) => typeof part === 'string' && part.startsWith('#'))
      ? path.map((part) => (typeof part === 'string' ? this.name(part) : part))
      : path;
  }

  name(written: string): string {
    if (!written.startsWith('#')) return written;
    const name = this.#names[written];
    if (name === undefined) throw undefinedIn('attribute name', written);
    return name;
  }

  #use<T>({ tree, placeholders }: Parsed<T>): T {
    for (const name of placeholders) {
      this.#used.add(name);
      if (name.startsWith('#')) this.name(name);
      else this.value(name);
    }
    return tree;
  }
}

function refuseEmpty(member: string, given: object): void {
  if (Object.keys(given).length === 0) throw validationError(`${member} must not be empty`);
}

function undefinedIn(what: string, name: string): Error {
  return validationError(
    `Invalid expression: An expression ${what} used in expression is not defined; ${what}: ${name}`,
  );
}
