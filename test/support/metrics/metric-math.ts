/** A time series: the value of each period by its start; a period without data is absent. */
export type Series = ReadonlyMap<number, number>;

type Value = number | Series;
type Scope = {
  readonly series: Readonly<Record<string, Series>>;
  /** Starts of the periods that are evaluated. */
  readonly periods: readonly number[];
};

/**
 * Evaluates the part of CloudWatch's metric math that alarms use: numbers, names of metrics, parentheses, `+ - * /`,
 * comparisons, `AND`, `OR`, `FILL(m, n)` and `IF(condition, then, else)`. An operation on two series has a value where
 * both have one; a comparison is 1 or 0.
 *
 * @throws on anything else, so that no expression is evaluated by halves
 */
export function evaluate(expression: string, scope: Scope): Series {
  const parser = new Parser(tokensOf(expression), scope);
  return asSeries(parser.whole(), scope.periods);
}

function tokensOf(expression: string): string[] {
  const pattern = /\s*(\d+(?:\.\d+)?|[A-Za-z_]\w*|<=|>=|==|!=|&&|\|\||[-+*/<>(),])/y;
  const tokens: string[] = [];
  const text = expression.trimEnd();
  while (pattern.lastIndex < text.length) {
    const at = pattern.lastIndex;
    const [, token] = pattern.exec(text) ?? [];
    if (token === undefined) throw new Error(`Cannot read the expression at "${text.slice(at)}"`);
    tokens.push(token);
  }
  return tokens;
}

type Operator = (left: number, right: number) => number;

/** From the weakest to the strongest. */
const levels: readonly Readonly<Record<string, Operator>>[] = [
  { OR: (a, b) => Number(a !== 0 || b !== 0), '||': (a, b) => Number(a !== 0 || b !== 0) },
  { AND: (a, b) => Number(a !== 0 && b !== 0), '&&': (a, b) => Number(a !== 0 && b !== 0) },
  {
    '<': (a, b) => Number(a < b),
    '<=': (a, b) => Number(a <= b),
    '>': (a, b) => Number(a > b),
    '>=': (a, b) => Number(a >= b),
    '==': (a, b) => Number(a === b),
    '!=': (a, b) => Number(a !== b),
  },
  { '+': (a, b) => a + b, '-': (a, b) => a - b },
  { '*': (a, b) => a * b, '/': (a, b) => a / b },
];

class Parser {
  readonly #tokens: string[];
  readonly #scope: Scope;

  constructor(tokens: string[], scope: Scope) {
    this.#tokens = tokens;
    this.#scope = scope;
  }

  whole(): Value {
    const value = this.#binary(0);
    const [rest] = this.#tokens;
    if (rest !== undefined) throw new Error(`The expression has an unexpected "${rest}"`);
    return value;
  }

  #binary(level: number): Value {
    const operators = levels[level];
    if (operators === undefined) return this.#primary();
    let left = this.#binary(level + 1);
    for (;;) {
      const operator = operators[this.#tokens[0] ?? ''];
      if (operator === undefined) return left;
      this.#tokens.shift();
      left = combine(operator, left, this.#binary(level + 1));
    }
  }

  #primary(): Value {
    const token = this.#tokens.shift() ?? '';
    if (token === '(') {
      const value = this.#binary(0);
      this.#expect(')');
      return value;
    }
    if (token === '-') return combine((a, b) => a - b, 0, this.#primary());
    if (/^\d/.test(token)) return Number(token);
    if (this.#tokens[0] === '(') return this.#call(token);
    const series = this.#scope.series[token];
    if (series === undefined) throw new Error(`The expression has an unknown name "${token}"`);
    return series;
  }

  #call(name: string): Value {
    const values = this.#arguments();
    const [first = 0, second = 0, third = 0] = values;
    switch (`${name}/${values.length}`) {
      case 'FILL/2':
        return filled(first, second, this.#scope.periods);
      case 'IF/3':
        return choose(first, second, third, this.#scope.periods);
      default:
        throw new Error(`The evaluator does not know ${name} with ${values.length} arguments`);
    }
  }

  #arguments(): readonly Value[] {
    this.#expect('(');
    const values = [this.#binary(0)];
    while (this.#tokens[0] === ',') {
      this.#tokens.shift();
      values.push(this.#binary(0));
    }
    this.#expect(')');
    return values;
  }

  #expect(token: string): void {
    const next = this.#tokens.shift();
    if (next !== token) throw new Error(`Expected "${token}" in the expression, got "${next ?? 'its end'}"`);
  }
}

function combine(operator: Operator, left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return operator(left, right);
  const series = typeof left === 'number' ? right : left;
  if (typeof series === 'number') throw new TypeError('One side is a series here');
  return new Map(
    [...series.keys()].flatMap((period) => {
      const [a, b] = [at(left, period), at(right, period)];
      return a === undefined || b === undefined ? [] : [[period, operator(a, b)] as const];
    }),
  );
}

function filled(value: Value, filler: Value, periods: readonly number[]): Series {
  return new Map(
    periods.flatMap((period) => {
      const found = at(value, period) ?? at(filler, period);
      return found === undefined ? [] : [[period, found] as const];
    }),
  );
}

/** Without data in the condition, there is no result. */
function choose(condition: Value, then: Value, otherwise: Value, periods: readonly number[]): Series {
  return new Map(
    periods.flatMap((period) => {
      const decided = at(condition, period);
      if (decided === undefined) return [];
      const chosen = at(decided === 0 ? otherwise : then, period);
      return chosen === undefined ? [] : [[period, chosen] as const];
    }),
  );
}

function at(value: Value, period: number): number | undefined {
  return typeof value === 'number' ? value : value.get(period);
}

function asSeries(value: Value, periods: readonly number[]): Series {
  if (typeof value !== 'number') return value;
  return new Map(periods.map((period) => [period, value]));
}
