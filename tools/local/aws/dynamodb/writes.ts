import { AwsError } from '../aws-api.ts';
import { type AttributeValue, type Item, readItem, validationError } from './attribute-value.ts';
import { checkOperands, meets } from './expressions/evaluate.ts';
import { type Placeholders, Scope } from './expressions/scope.ts';
import type { Change, Condition, Path } from './expressions/tree.ts';
import { updated } from './expressions/update.ts';
import type { Input } from './inputs.ts';
import { itemBytes } from './item-size.ts';
import type { Place } from './sorted-rows.ts';
import type { StoredTable } from './stored-table.ts';

/** The largest item that DynamoDB stores, in bytes. */
const maxItemBytes = 400 * 1024;

/** What a write would do; nothing is stored yet. */
export type Planned = {
  readonly table: StoredTable;
  readonly place: Place;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  /** The attributes that an update changes. */
  readonly changed: readonly Path[];
};

type Conditional = Placeholders & {
  readonly ConditionExpression?: string | undefined;
  readonly ReturnValuesOnConditionCheckFailure?: 'NONE' | 'ALL_OLD' | undefined;
};

/** A write of a transaction, or a condition on an item that it leaves. */
export type TransactPart = Input<'TransactWriteItems'>['TransactItems'][number];

export function writeOf(part: TransactPart) {
  if ('Put' in part) return part.Put;
  if ('Update' in part) return part.Update;
  return 'Delete' in part ? part.Delete : part.ConditionCheck;
}

/** @throws AwsError for a table that is not there */
export type FindTable = (name: string) => StoredTable;

/** @throws AwsError when the request is refused or its condition is not met */
export function planPart(table: FindTable, part: TransactPart): Planned {
  if ('Put' in part) return planPut(table(part.Put.TableName), part.Put);
  if ('Update' in part) return planUpdate(table(part.Update.TableName), part.Update);
  if ('Delete' in part) return planDelete(table(part.Delete.TableName), part.Delete);
  const check = part.ConditionCheck;
  const planned = planDelete(table(check.TableName), check);
  return { ...planned, after: planned.before };
}

export function planPut(table: StoredTable, input: Conditional & { readonly Item: unknown }): Planned {
  const item = readItem(input.Item);
  const place = table.place(item);
  refuseLarge(item, 'Item size has exceeded the maximum allowed size');
  table.checkIndexKeys(item);
  const before = table.rows.get(place);
  checkCondition(new Scope(input), input, before);
  return { table, place, before, after: item, changed: [] };
}

export function planDelete(table: StoredTable, input: Conditional & { readonly Key: unknown }): Planned {
  const place = table.keyPlace(readItem(input.Key));
  const before = table.rows.get(place);
  checkCondition(new Scope(input), input, before);
  return { table, place, before, after: undefined, changed: [] };
}

export function planUpdate(
  table: StoredTable,
  input: Conditional & { readonly Key: unknown; readonly UpdateExpression: string },
): Planned {
  const key = readItem(input.Key);
  const place = table.keyPlace(key);
  const before = table.rows.get(place);
  const scope = new Scope(input);
  const changes = scope.update(input.UpdateExpression);
  checkCondition(scope, input, before);
  return planChanges(table, place, { key, before, changes, scope });
}

export function planChanges(
  table: StoredTable,
  place: Place,
  update: {
    readonly key: Item;
    readonly before: Item | undefined;
    readonly changes: readonly Change[];
    readonly scope: Scope;
  },
): Planned {
  const { key, before, changes, scope } = update;
  const changed = changes.map(({ path }) => scope.path(path));
  const ofKey = changed.find(([name]) => table.names.includes(String(name)));
  if (ofKey !== undefined)
    throw validationError(
      `One or more parameter values were invalid: Cannot update attribute ${ofKey[0]}. This attribute is part of the key`,
    );
  const after = updated(before ?? key, changes, scope);
  refuseLarge(after, 'Item size to update has exceeded the maximum allowed size');
  table.checkIndexKeys(after);
  return { table, place, before, after, changed };
}

function refuseLarge(item: Item, message: string): void {
  if (itemBytes(item) > maxItemBytes) throw validationError(message);
}

/** @throws AwsError that holds the stored item, if the request asks for it */
function checkCondition(scope: Scope, input: Conditional, before: Item | undefined): void {
  const condition = scope.condition(input.ConditionExpression);
  scope.checkUsed();
  if (condition === null) return;
  checkOperands(condition, scope);
  if (!meets(condition, before ?? {}, scope))
    throw conditionFailed(input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' ? before : undefined);
}

function conditionFailed(item: Item | undefined): AwsError {
  const members = item === undefined ? {} : { Item: item };
  return new AwsError('ConditionalCheckFailedException', 'The conditional request failed', 400, members);
}

/** Splits the condition of a statement into the key that it names and the conditions on the item. */
export function splitWhere(where: Condition, names: readonly string[], scope: Scope) {
  const key: Record<string, AttributeValue> = {};
  const rest = (where.kind === 'and' ? where.parts : [where]).filter((part) => {
    const [left, right] = part.kind === '=' ? part.operands : [];
    const name = left && 'path' in left ? String(left.path[0]) : '';
    if (!names.includes(name) || right === undefined || !('value' in right)) return true;
    key[name] = scope.value(right.value);
    return false;
  });
  return { key, rest };
}

/** The name of the item that a write is about. */
export const nameOf = ({ table, place }: Planned): string => `${table.name}\0${place.partition}\0${place.sort}`;

export function refuseDoubles(
  names: readonly string[],
  message = 'Provided list of item keys contains duplicates',
): void {
  if (new Set(names).size < names.length) throw validationError(message);
}
