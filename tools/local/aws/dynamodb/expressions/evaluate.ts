import {
  type AttributeValue,
  areEqual,
  compareValues,
  type Item,
  typeOf,
  validationError,
} from '../attribute-value.ts';
import type { Scope } from './scope.ts';
import type { Comparator, Condition, Operand, Path } from './tree.ts';

/** Whether an item meets a condition. A comparison of different types, or with an absent attribute, is not met. */
export function meets(condition: Condition, item: Item, scope: Scope): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.parts.every((part) => meets(part, item, scope));
    case 'or':
      return condition.parts.some((part) => meets(part, item, scope));
    case 'not':
      return !meets(condition.part, item, scope);
    case 'attribute_exists':
      return valueAt(item, scope.path(condition.path)) !== undefined;
    case 'attribute_not_exists':
      return valueAt(item, scope.path(condition.path)) === undefined;
    default: {
      const values = condition.operands.map((operand) => operandIn(item, operand, scope));
      const [subject, ...others] = values;
      if (condition.kind === '<>') return isUnequal(subject, others[0]);
      if (subject === undefined) return false;
      return others.every((other) => other !== undefined) && holds(condition.kind, subject, others);
    }
  }
}

/** An absent attribute differs from every value. */
function isUnequal(one: AttributeValue | undefined, other: AttributeValue | undefined): boolean {
  return one === undefined || other === undefined ? one !== other : !areEqual(one, other);
}

type Kind = Exclude<Comparator, '<>'> | 'between' | 'begins_with' | 'contains';

function holds(kind: Kind, subject: AttributeValue, others: readonly AttributeValue[]): boolean {
  const [first = subject, second = subject] = others;
  if (kind === '=') return areEqual(subject, first);
  if (kind === 'begins_with') return 'S' in subject && 'S' in first && subject.S.startsWith(first.S);
  if (kind === 'contains') return contains(subject, first);
  const order = compareValues(subject, first);
  if (order === undefined) return false;
  if (kind === 'between') return order >= 0 && (compareValues(subject, second) ?? 1) <= 0;
  if (kind === '<' || kind === '<=') return order < 0 || (kind === '<=' && order === 0);
  return order > 0 || (kind === '>=' && order === 0);
}

function contains(subject: AttributeValue, part: AttributeValue): boolean {
  if ('L' in subject) return subject.L.some((member) => areEqual(member, part));
  if (!('S' in part)) return false;
  if ('S' in subject) return subject.S.includes(part.S);
  return 'SS' in subject && subject.SS.includes(part.S);
}

export function operandIn(item: Item, operand: Operand, scope: Scope): AttributeValue | undefined {
  if ('value' in operand) return scope.value(operand.value);
  if ('path' in operand) return valueAt(item, scope.path(operand.path));
  const size = sizeOf(valueAt(item, scope.path(operand.sizeOf)));
  return size === undefined ? undefined : { N: String(size) };
}

function sizeOf(value: AttributeValue | undefined): number | undefined {
  if (value === undefined) return undefined;
  if ('S' in value) return value.S.length;
  if ('L' in value) return value.L.length;
  if ('M' in value) return Object.keys(value.M).length;
  return 'SS' in value ? value.SS.length : undefined;
}

/** @param path without placeholders */
export function valueAt(item: Item, path: Path): AttributeValue | undefined {
  const [first, ...rest] = path;
  return rest.reduce(memberOf, memberOf({ M: item }, first ?? ''));
}

function memberOf(value: AttributeValue | undefined, part: string | number): AttributeValue | undefined {
  if (value === undefined) return undefined;
  if (typeof part === 'number') return 'L' in value ? value.L[part] : undefined;
  return 'M' in value && Object.hasOwn(value.M, part) ? value.M[part] : undefined;
}

/** Types that each function and comparison takes where a request gives the value itself. */
const typesOf: Readonly<Record<string, readonly string[]>> = {
  '<': ['S', 'N'],
  '<=': ['S', 'N'],
  '>': ['S', 'N'],
  '>=': ['S', 'N'],
  between: ['S', 'N'],
  begins_with: ['S'],
};

/** Refuses values that no item could be compared with, which DynamoDB does before it reads the item. */
export function checkOperands(condition: Condition, scope: Scope): void {
  if ('parts' in condition) for (const part of condition.parts) checkOperands(part, scope);
  if ('part' in condition) checkOperands(condition.part, scope);
  if (!('operands' in condition)) return;
  const types = typesOf[condition.kind];
  const given = condition.operands.flatMap((operand) => ('value' in operand ? [scope.value(operand.value)] : []));
  const wrong = given.map(typeOf).find((type) => types !== undefined && !types.includes(type));
  if (wrong !== undefined)
    throw validationError(
      `Invalid ConditionExpression: Incorrect operand type for operator or function; operator or function: ${condition.kind}, operand type: ${wrong}`,
    );
  const [low, high] = given.slice(-2);
  if (condition.kind === 'between' && low && high && (compareValues(low, high) ?? 1) > 0)
    throw validationError(
      'Invalid ConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound',
    );
}
