import type { WriteUnits } from './stored-table.ts';
import type { Planned } from './writes.ts';

type Answer = Readonly<Record<string, unknown>>;

type Wish = { readonly ReturnConsumedCapacity?: 'NONE' | 'TOTAL' | 'INDEXES' | undefined };
type Used = { readonly name: string; readonly units: WriteUnits };

/** What the answer to a request about one table says about the units that it consumed. */
export function consumed(wish: Wish, used: () => Used): Answer {
  return isAsked(wish) ? { ConsumedCapacity: capacity(wish, [used()], 1) } : {};
}

/** The same for a request about any number of items. @param factor of the items in a transaction, not of indexes: 2 */
export function consumedByAll(wish: Wish, all: () => readonly Used[], factor = 1): Answer {
  if (!isAsked(wish)) return {};
  const ofTables = [...Map.groupBy(all(), ({ name }) => name).values()];
  return { ConsumedCapacity: ofTables.map((group) => capacity(wish, group, factor)) };
}

const isAsked = ({ ReturnConsumedCapacity: wish = 'NONE' }: Wish): boolean => wish !== 'NONE';

function capacity({ ReturnConsumedCapacity }: Wish, group: readonly Used[], factor: number): Answer {
  const TableName = group[0]?.name;
  const indexes: Record<string, number> = {};
  for (const { units } of group)
    for (const [name, used] of Object.entries(units.indexes)) indexes[name] = (indexes[name] ?? 0) + used;
  const ofTable = factor * sum(group.map(({ units }) => units.table));
  const CapacityUnits = ofTable + sum(Object.values(indexes));
  if (ReturnConsumedCapacity === 'TOTAL') return { TableName, CapacityUnits };
  const ofIndexes = Object.entries(indexes).map(([name, used]) => [name, { CapacityUnits: used }]);
  return {
    TableName,
    CapacityUnits,
    Table: { CapacityUnits: ofTable },
    ...(ofIndexes.length === 0 ? {} : { GlobalSecondaryIndexes: Object.fromEntries(ofIndexes) }),
  };
}

export const unitsOf = ({ table, before, after }: Planned) => ({
  name: table.name,
  units: table.writeUnits(before, after),
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
