import { type Item, pick, readItem, validationError } from './attribute-value.ts';
import { checkOperands, meets } from './expressions/evaluate.ts';
import { Scope } from './expressions/scope.ts';
import type { Condition } from './expressions/tree.ts';
import type { Input } from './inputs.ts';
import { itemBytes } from './item-size.ts';
import type { Place, Range } from './sorted-rows.ts';
import { keyText, type Rows, type StoredTable } from './stored-table.ts';

/** DynamoDB reads at most this many bytes for a page. */
const maxPageBytes = 1024 * 1024;
const unitBytes = 4096;

/** Units of a read of some bytes. */
export function readUnits(bytes: number, isConsistent = false): number {
  return Math.max(1, Math.ceil(bytes / unitBytes)) * (isConsistent ? 1 : 0.5);
}

export type Page = {
  readonly Items?: readonly Item[];
  readonly Count: number;
  readonly ScannedCount: number;
  readonly LastEvaluatedKey?: Item;
  readonly units: number;
};

type PageInput = Input<'Query'> | Input<'Scan'>;

/** @param asOf what an eventually consistent read sees; `undefined`: the current state */
export function query(table: StoredTable, input: Input<'Query'>, asOf: number | undefined): Page {
  const rows = rowsOf(table, input);
  const scope = new Scope(input);
  const condition = scope.condition(input.KeyConditionExpression);
  const view = viewOf(table, rows, input, scope);
  if (condition === null) throw validationError('A query needs a KeyConditionExpression');
  checkOperands(condition, scope);
  refuseKeys(scope.condition(input.FilterExpression), rows.names, scope);
  const { partition, range } = keyCondition(condition, rows.names, scope);
  const after = startOf(table, rows, input);
  if (after && (after.partition !== partition || range.isBelow(after.sort) || range.isAbove(after.sort)))
    throw validationError('The provided starting key is outside query boundaries based on provided conditions');
  const found = rows.rows.range(partition, {
    range,
    after,
    isBackward: input.ScanIndexForward === false,
    asOf: input.ConsistentRead ? undefined : asOf,
  });
  return readPage(found, view, input);
}

export function scan(table: StoredTable, input: Input<'Scan'>, segmentOf: (partition: string) => number): Page {
  const rows = rowsOf(table, input);
  const view = viewOf(table, rows, input, new Scope(input));
  const { Segment = 0, TotalSegments = 1 } = input;
  const isChosen = (partition: string) => segmentOf(partition) % TotalSegments === Segment;
  return readPage(rows.rows.all(startOf(table, rows, input), isChosen), view, input);
}

function rowsOf(table: StoredTable, { IndexName, ConsistentRead }: PageInput): Rows {
  if (IndexName === undefined) return table;
  if (ConsistentRead) throw validationError('Consistent reads are not supported on global secondary indexes');
  return table.index(IndexName);
}

/** How a page shows its rows. */
type View = {
  readonly keyOf: (item: Item) => Item;
  readonly isShown: (item: Item) => boolean;
  readonly shown: (item: Item) => Item;
};

function viewOf(table: StoredTable, rows: Rows, input: PageInput, scope: Scope): View {
  const filter = scope.condition(input.FilterExpression);
  const names = scope.projection(input.ProjectionExpression);
  scope.checkUsed();
  checkSelect(input, names !== null);
  if (filter !== null) checkOperands(filter, scope);
  return {
    keyOf: (item) => ({ ...table.keyOf(item), ...(rows === table ? {} : item) }),
    isShown: (item) => filter === null || meets(filter, item, scope),
    shown: (item) => (names === null ? item : pick(item, names)),
  };
}

function checkSelect({ Select, IndexName }: PageInput, isProjected: boolean): void {
  const isPossible = {
    ALL_ATTRIBUTES: !isProjected && IndexName === undefined,
    ALL_PROJECTED_ATTRIBUTES: !isProjected && IndexName !== undefined,
    SPECIFIC_ATTRIBUTES: isProjected,
    COUNT: !isProjected,
  };
  if (Select !== undefined && !isPossible[Select])
    throw validationError(`Select ${Select} contradicts the other parameters of the request`);
}

/** Refuses a filter that a key condition could replace. */
function refuseKeys(filter: Condition | null, keyNames: readonly string[], scope: Scope): void {
  const name = filter && namesIn(filter, scope).find((each) => keyNames.includes(each));
  if (typeof name === 'string')
    throw validationError(
      `Filter Expression can only contain non-primary key attributes: Primary key attribute: ${name}`,
    );
}

function namesIn(condition: Condition, scope: Scope): readonly string[] {
  if ('parts' in condition) return condition.parts.flatMap((part) => namesIn(part, scope));
  if ('part' in condition) return namesIn(condition.part, scope);
  const paths =
    'path' in condition
      ? [condition.path]
      : condition.operands.flatMap((operand) =>
          'path' in operand ? [operand.path] : 'sizeOf' in operand ? [operand.sizeOf] : [],
        );
  return paths.map(([name]) => scope.name(String(name)));
}

function startOf(table: StoredTable, rows: Rows, { ExclusiveStartKey }: PageInput): Place | null {
  if (ExclusiveStartKey === undefined) return null;
  const key = readItem(ExclusiveStartKey);
  const wanted = [...new Set([...table.names, ...rows.names])];
  if (Object.keys(key).toSorted().join() !== wanted.toSorted().join())
    throw validationError('The provided starting key is invalid');
  return rows === table ? table.place(key) : table.indexPlace(rows.names, key);
}

function readPage(rows: Iterable<Item>, { keyOf, isShown, shown }: View, input: PageInput): Page {
  const { Limit = Number.POSITIVE_INFINITY, ConsistentRead, Select } = input;
  const items: Item[] = [];
  let [scanned, bytes] = [0, 0];
  let last: Item | undefined;
  let isCut = false;
  for (const item of rows) {
    const size = itemBytes(item);
    isCut = bytes + size > maxPageBytes;
    if (isCut) break;
    bytes += size;
    scanned += 1;
    last = item;
    if (isShown(item)) items.push(item);
    isCut = scanned === Limit;
    if (isCut) break;
  }
  return {
    ...(Select === 'COUNT' ? {} : { Items: items.map(shown) }),
    Count: items.length,
    ScannedCount: scanned,
    ...(isCut && last !== undefined ? { LastEvaluatedKey: keyOf(last) } : {}),
    units: readUnits(bytes, ConsistentRead),
  };
}

/** Reads the condition on a partition key and, if there is one, on a sort key. */
function keyCondition(condition: Condition, [partitionKey, sortKey]: Rows['names'], scope: Scope) {
  const parts = condition.kind === 'and' ? condition.parts : [condition];
  const nameOf = (part: Condition): string | undefined => {
    const [subject] = 'operands' in part ? part.operands : [];
    return subject && 'path' in subject ? scope.path(subject.path).join('.') : undefined;
  };
  const onPartition = parts.find((part) => part.kind === '=' && nameOf(part) === partitionKey);
  const onSort = parts.find((part) => nameOf(part) === sortKey);
  const known = [onPartition, onSort].filter((part) => part !== undefined);
  const range = onSort === undefined ? undefined : rangeOf(onSort.kind, textsIn(onSort, scope, sortKey, 1));
  if (onPartition === undefined || known.length < parts.length || range === null)
    throw validationError(`Query condition missed key schema element, or key condition not supported: ${partitionKey}`);
  const [partition = ''] = textsIn(onPartition, scope, partitionKey, 0);
  return { partition, range: range ?? { isBelow: () => false, isAbove: () => false } };
}

function textsIn(condition: Condition, scope: Scope, key: string, position: number): readonly string[] {
  const [, ...others] = 'operands' in condition ? condition.operands : [];
  return others.map((operand) =>
    keyText(key, 'value' in operand ? scope.value(operand.value) : { NULL: true }, position),
  );
}

/** @returns `null` for a condition that no sort key may have */
function rangeOf(kind: Condition['kind'], [first = '', second = first]: readonly string[]): Range | null {
  const none = () => false;
  if (kind === '=') return { isBelow: (sort) => sort < first, isAbove: (sort) => sort > first };
  if (kind === '<') return { isBelow: none, isAbove: (sort) => sort >= first };
  if (kind === '<=') return { isBelow: none, isAbove: (sort) => sort > first };
  if (kind === '>') return { isBelow: (sort) => sort <= first, isAbove: none };
  if (kind === '>=') return { isBelow: (sort) => sort < first, isAbove: none };
  if (kind === 'between') return { isBelow: (sort) => sort < first, isAbove: (sort) => sort > second };
  if (kind !== 'begins_with') return null;
  return { isBelow: (sort) => sort < first, isAbove: (sort) => sort > first && !sort.startsWith(first) };
}
