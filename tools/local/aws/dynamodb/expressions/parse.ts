import { validationError } from '../attribute-value.ts';
import { reservedWords } from './reserved-words.ts';
import { type Token, tokenOfExpressions, tokenOfStatements, tokensOf } from './tokens.ts';
import type { Change, Condition, Operand, Parsed, Path, Source, Statement } from './tree.ts';

export const parseCondition = (text: string) => parsed(text, (reader) => reader.condition());
export const parseUpdate = (text: string) => parsed(text, (reader) => reader.changes());
export const parseProjection = (text: string) => parsed(text, (reader) => reader.list(() => reader.path()));
export const parseStatement = (text: string) => parsed(text, (reader) => reader.statement(), true);

/** DynamoDB reads no longer text, in bytes. */
const maxBytes = { expression: 4096, statement: 8192 } as const;

function parsed<T>(text: string, read: (reader: Reader) => T, isStatement = false): Parsed<T> {
  if (Buffer.byteLength(text) > maxBytes[isStatement ? 'statement' : 'expression'])
    throw validationError('Invalid expression: Expression size has exceeded the maximum allowed size');
  const reader = new Reader(text, isStatement);
  const tree = read(reader);
  reader.end();
  return { tree, placeholders: reader.placeholders };
}

const tests = ['attribute_exists', 'attribute_not_exists'] as const;
const comparisons = ['begins_with', 'contains'] as const;
const comparators = ['=', '<>', '<', '<=', '>', '>='] as const;

/** Reads a text from left to right; keywords may have any case, functions may not. */
class Reader {
  readonly placeholders = new Set<string>();
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #isStatement: boolean;
  #at = 0;
  #marks = 0;
  /** The last pair of parentheses that was read. */
  #closed = { from: -1, to: -1 };

  constructor(text: string, isStatement: boolean) {
    this.#text = text;
    this.#isStatement = isStatement;
    this.#tokens = tokensOf(text, isStatement ? tokenOfStatements : tokenOfExpressions);
  }

  end(): void {
    if (this.#at < this.#tokens.length) this.#refuse();
  }

  condition(): Condition {
    return this.#joined('or', () => this.#joined('and', () => this.#negation()));
  }

  changes(): readonly Change[] {
    const changes: Change[] = [];
    const seen = new Set<string>();
    while (this.#at < this.#tokens.length) {
      const kind = (['SET', 'REMOVE', 'ADD', 'DELETE'] as const).find((each) => this.#skip(each));
      if (kind === undefined) break;
      if (seen.has(kind) && !this.#isStatement)
        throw validationError(
          `Invalid UpdateExpression: The "${kind}" section can only be used once in an update expression;`,
        );
      seen.add(kind);
      changes.push(...this.list(() => this.#change(kind)));
    }
    if (changes.length === 0) this.#refuse();
    return changes;
  }

  statement(): Statement {
    if (this.#skip('INSERT')) {
      this.#expect('INTO');
      const table = this.#name();
      this.#expect('VALUE');
      this.#expect('{');
      const item = new Map(
        this.list(() => {
          const name = this.#take('member');
          this.#expect(':');
          return [name, this.#value()] as const;
        }),
      );
      this.#expect('}');
      return { kind: 'INSERT', table, item };
    }
    this.#expect('UPDATE');
    const table = this.#name();
    const changes = this.changes();
    this.#expect('WHERE');
    const where = this.condition();
    const returnsNew = this.#skip('RETURNING');
    if (returnsNew) for (const word of ['ALL', 'NEW', '*']) this.#expect(word);
    return { kind: 'UPDATE', table, changes, where, returnsNew };
  }

  list<T>(read: () => T): readonly T[] {
    const members = [read()];
    while (this.#skip(',')) members.push(read());
    return members;
  }

  path(): Path {
    const path: (string | number)[] = [this.#name()];
    for (;;) {
      if (this.#skip('.')) path.push(this.#name());
      else if (this.#skip('[')) {
        path.push(Number(this.#take('index')));
        this.#expect(']');
      } else return path;
    }
  }

  #joined(kind: 'and' | 'or', read: () => Condition): Condition {
    const first = read();
    if (!this.#skip(kind)) return first;
    const parts = [first];
    do parts.push(read());
    while (this.#skip(kind));
    return { kind, parts };
  }

  #negation(): Condition {
    return this.#skip('NOT') ? { kind: 'not', part: this.#negation() } : this.#primary();
  }

  #primary(): Condition {
    const from = this.#at;
    if (this.#skip('(')) {
      const inner = this.condition();
      if (this.#closed.from === from + 1 && this.#closed.to === this.#at)
        throw validationError('Invalid ConditionExpression: The expression has redundant parentheses;');
      this.#expect(')');
      this.#closed = { from, to: this.#at };
      return inner;
    }
    const test = tests.find((name) => this.#call(name));
    if (test !== undefined) return { kind: test, path: this.#arguments(() => this.path()) };
    const comparison = comparisons.find((name) => this.#call(name));
    if (comparison === undefined) return this.#comparison(this.#operand());
    return { kind: comparison, operands: this.#arguments(() => this.#pair(() => this.#operand())) };
  }

  #comparison(left: Operand): Condition {
    if (this.#isStatement && this.#skip('IS')) {
      this.#expect('MISSING');
      return 'path' in left ? { kind: 'attribute_not_exists', path: left.path } : this.#refuse();
    }
    if (this.#skip('BETWEEN')) {
      const low = this.#operand();
      this.#expect('AND');
      return { kind: 'between', operands: [left, low, this.#operand()] };
    }
    const kind = comparators.find((sign) => this.#skip(sign)) ?? this.#refuse();
    return { kind, operands: [left, this.#operand()] };
  }

  #operand(): Operand {
    if (this.#call('size')) return { sizeOf: this.#arguments(() => this.path()) };
    return this.#peek().startsWith(':') || this.#peek() === '?' ? { value: this.#value() } : { path: this.path() };
  }

  #change(kind: Change['kind']): Change {
    const path = this.path();
    if (kind === 'REMOVE') return { kind, path };
    if (kind !== 'SET') return { kind, path, value: this.#value() };
    this.#expect('=');
    return { kind, path, source: this.#source() };
  }

  #source(): Source {
    if (this.#call('list_append')) return { append: this.#arguments(() => this.#pair(() => this.#source())) };
    if (!this.#call('if_not_exists')) return this.#operand();
    return this.#arguments(() => {
      const ifNotExists = this.path();
      this.#expect(',');
      return { ifNotExists, otherwise: this.#source() };
    });
  }

  /** Reads what is between an open parenthesis, which was read, and its end. */
  #arguments<T>(read: () => T): T {
    const given = read();
    this.#expect(')');
    return given;
  }

  #pair<T>(read: () => T): readonly [T, T] {
    const first = read();
    this.#expect(',');
    return [first, read()];
  }

  #value(): string {
    if (this.#skip('?')) {
      const name = `:${this.#marks}`;
      this.#marks += 1;
      this.placeholders.add(name);
      return name;
    }
    return this.#peek().startsWith(':') ? this.#take('placeholder') : this.#refuse();
  }

  #name(): string {
    const { kind, text } = this.#tokens[this.#at] ?? this.#refuse();
    if (kind === 'word' && reservedWords.has(text.toLowerCase()))
      throw validationError(`Invalid expression: Attribute name is a reserved keyword; reserved keyword: ${text}`);
    const isName = kind === 'word' || kind === 'quoted' || (kind === 'placeholder' && text.startsWith('#'));
    return isName ? this.#take(kind) : this.#refuse();
  }

  #take(kind: string): string {
    const next = this.#tokens[this.#at];
    if (next?.kind !== kind) this.#refuse();
    this.#at += 1;
    if (kind === 'placeholder') this.placeholders.add(next?.text ?? '');
    return next?.text ?? '';
  }

  /** Skips the name of a function and its open parenthesis. */
  #call(name: string): boolean {
    const isCalled = this.#peek() === name && this.#tokens[this.#at + 1]?.text === '(';
    if (isCalled) this.#at += 2;
    return isCalled;
  }

  #skip(word: string): boolean {
    const { kind, text } = this.#tokens[this.#at] ?? { kind: '', text: '' };
    const isNext = (kind === 'word' || kind === 'sign') && text.toUpperCase() === word.toUpperCase();
    if (isNext) this.#at += 1;
    return isNext;
  }

  #expect(word: string): void {
    if (!this.#skip(word)) this.#refuse();
  }

  #peek(): string {
    return this.#tokens[this.#at]?.text ?? '';
  }

  #refuse(): never {
    const near = this.#tokens.slice(Math.max(0, this.#at - 1), this.#at + 2).map(({ text }) => text);
    throw validationError(
      `Invalid expression: Syntax error; token: ${JSON.stringify(this.#peek() || '<EOF>')}, near: "${near.join(' ')}" in ${this.#text}`,
    );
  }
}
