import { type Item, pick, readItem, validationError } from './attribute-value.ts';
import { consumedByAll } from './consumed-capacity.ts';
import { Scope } from './expressions/scope.ts';
import type { Input } from './inputs.ts';
import { itemBytes } from './item-size.ts';
import { readUnits } from './reads.ts';
import { type FindTable, refuseDoubles } from './writes.ts';

/** DynamoDB reads at most this many bytes in a call and of a partition, and names the keys that are left. */
const maxBytes = { call: 16 * 1024 * 1024, partition: 1024 * 1024 } as const;

/** @param asOf what eventually consistent reads see; `undefined`: the current state */
export function batchGet(findTable: FindTable, input: Input<'BatchGetItem'>, asOf: () => number | undefined) {
  const Responses: Record<string, readonly Item[]> = {};
  const UnprocessedKeys: Input<'BatchGetItem'>['RequestItems'] = {};
  const ofCall = new Room(maxBytes.call);
  const parts = Object.entries(input.RequestItems).map(([name, request]) => {
    const table = findTable(name);
    const scope = new Scope(request);
    const names = scope.projection(request.ProjectionExpression);
    scope.checkUsed();
    const wanted = request.Keys.map((key) => ({ key, place: table.keyPlace(readItem(key)) }));
    refuseDoubles(wanted.map(({ place: { partition, sort } }) => `${partition}\0${sort}`));
    if (wanted.length > 100) throw validationError('Too many items requested for the BatchGetItem call');
    const seen = request.ConsistentRead ? undefined : asOf();
    const ofPartitions = new Map<string, Room>();
    const found: (Item | undefined)[] = [];
    const left: typeof request.Keys = [];
    for (const { key, place } of wanted) {
      const item = table.rows.get(place, seen);
      const ofPartition = ofPartitions.get(place.partition) ?? new Room(maxBytes.partition);
      ofPartitions.set(place.partition, ofPartition);
      const bytes = itemBytes(item ?? {});
      if (ofPartition.takes(bytes) && ofCall.takes(bytes)) found.push(item);
      else left.push(key);
    }
    if (left.length > 0) UnprocessedKeys[name] = { ...request, Keys: left };
    const items = found.filter((item) => item !== undefined);
    Responses[name] = names === null ? items : items.map((item) => pick(item, names));
    const units = found.map((item) => readUnits(itemBytes(item ?? {}), request.ConsistentRead));
    return { name, units: { table: units.reduce((sum, each) => sum + each, 0), indexes: {} } };
  });
  return { Responses, UnprocessedKeys, ...consumedByAll(input, () => parts) };
}

/** Room for items. The first that does not fit ends it. */
class Room {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  takes(bytes: number): boolean {
    this.#left = bytes > this.#left ? -1 : this.#left - bytes;
    return this.#left >= 0;
  }
}
