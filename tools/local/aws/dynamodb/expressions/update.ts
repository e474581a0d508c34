import { type AttributeValue, compareTexts, type Item, typeOf, validationError } from '../attribute-value.ts';
import { operandIn, valueAt } from './evaluate.ts';
import type { Scope } from './scope.ts';
import type { Change, Path, Source } from './tree.ts';

/**
 * The item after an update. All values are those before it.
 *
 * @throws AwsError for paths that meet each other, that lead nowhere, or whose values have other types
 */
export function updated(item: Item, changes: readonly Change[], scope: Scope): Item {
  const resolved = changes.map((change) => ({ change, path: scope.path(change.path) }));
  refuseOverlaps(resolved.map(({ path }) => path));
  const result: Record<string, AttributeValue> = { ...item };
  // Members that are set beyond the end of a list are appended in the order of their indexes.
  const inOrder = resolved.toSorted((one, other) => comparePaths(one.path, other.path));
  for (const { change, path } of inOrder) {
    if (change.kind === 'REMOVE') continue;
    const value =
      change.kind === 'SET'
        ? sourceIn(item, change.source, scope)
        : changedSet(change.kind, valueAt(item, path), scope.value(change.value));
    changeAt(result, path, value);
  }
  // The last of a list first, because the others keep their index then.
  for (const { change, path } of inOrder.toReversed())
    if (change.kind === 'REMOVE' && valueAt(item, path) !== undefined) changeAt(result, path, undefined);
  return result;
}

/** @param value `undefined` removes what is at the path */
function changeAt(item: Record<string, AttributeValue>, path: Path, value: AttributeValue | undefined): void {
  const [name = '', ...rest] = path;
  const after = rest.length === 0 ? value : withValue(existing(item[name]), rest, value);
  if (after === undefined) delete item[name];
  else item[name] = after;
}

/** Orders paths of which none leads through another: the members of a list by their index. */
function comparePaths(one: Path, other: Path): number {
  const at = one.findIndex((part, index) => part !== other[index]);
  const [part = '', otherPart = ''] = [one[at], other[at]];
  if (typeof part === 'number' && typeof otherPart === 'number') return part - otherPart;
  return compareTexts(String(part), String(otherPart));
}

function refuseOverlaps(paths: readonly Path[]): void {
  if (new Set(paths.map(([name]) => name)).size === paths.length) return;
  for (const [index, one] of paths.entries())
    for (const other of paths.slice(index + 1)) {
      const shorter = Math.min(one.length, other.length);
      if (one.slice(0, shorter).every((part, at) => part === other[at]))
        throw validationError(
          `Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [${one.join(', ')}], path two: [${other.join(', ')}]`,
        );
    }
}

function sourceIn(item: Item, source: Source, scope: Scope): AttributeValue {
  if ('ifNotExists' in source)
    return valueAt(item, scope.path(source.ifNotExists)) ?? sourceIn(item, source.otherwise, scope);
  if ('append' in source) {
    const [first, second] = source.append.map((part) => sourceIn(item, part, scope));
    if (first !== undefined && second !== undefined && 'L' in first && 'L' in second)
      return { L: [...first.L, ...second.L] };
    throw validationError('An operand in the update expression has an incorrect data type');
  }
  if ('sizeOf' in source)
    throw validationError(
      'Invalid UpdateExpression: The function is not allowed in an update expression; function: size',
    );
  const value = operandIn(item, source, scope);
  if (value !== undefined) return value;
  throw validationError('The provided expression refers to an attribute that does not exist in the item');
}

/** @returns the set with, or without, some members; `undefined` when none is left */
function changedSet(
  kind: 'ADD' | 'DELETE',
  before: AttributeValue | undefined,
  change: AttributeValue,
): AttributeValue | undefined {
  if (!('SS' in change))
    throw validationError(
      `Invalid UpdateExpression: ${kind} of type ${typeOf(change)} is not built here: only sets of texts are`,
    );
  if (before === undefined) return kind === 'ADD' ? change : undefined;
  if (!('SS' in before)) throw validationError('An operand in the update expression has an incorrect data type');
  const SS =
    kind === 'ADD'
      ? [...new Set([...before.SS, ...change.SS])]
      : before.SS.filter((member) => !change.SS.includes(member));
  return SS.length === 0 ? undefined : { SS };
}

/** The same document with another value at a path; `undefined` removes it. */
function withValue(document: AttributeValue, [part, ...rest]: Path, value: AttributeValue | undefined): AttributeValue {
  if (typeof part === 'string' && 'M' in document) {
    const { [part]: before, ...others } = document.M;
    const after = rest.length === 0 ? value : withValue(existing(before), rest, value);
    return { M: after === undefined ? others : { ...document.M, [part]: after } };
  }
  if (typeof part === 'number' && 'L' in document) {
    const after = rest.length === 0 ? value : withValue(existing(document.L[part]), rest, value);
    if (after === undefined) return { L: document.L.toSpliced(part, 1) };
    return { L: part < document.L.length ? document.L.with(part, after) : [...document.L, after] };
  }
  throw invalidPath();
}

function existing(value: AttributeValue | undefined): AttributeValue {
  if (value === undefined) throw invalidPath();
  return value;
}

const invalidPath = () => validationError('The document path provided in the update expression is invalid for update');
