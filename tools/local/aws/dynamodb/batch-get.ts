import { type Item, pick, readItem, validationError } from './attribute-value.ts';
import { consumedByAll } from './consumed-capacity.ts';
import { Scope } from './expressions/scope.ts';
import type { Input } from './inputs.ts';
import { itemBytes } from './item-size.ts';
import { readUnits } from './reads.ts';
import { type FindTable, refuseDoubles } from './writes.ts';

/** DynamoDB reads at most this many bytes in a call, and names the keys that are left. */
const maxBatchBytes = 16 * 1024 * 1024;

/** @param asOf what eventually consistent reads see; `undefined`: the current state */
export function batchGet(findTable: FindTable, input: Input<'BatchGetItem'>, asOf: () => number | undefined) {
  const Responses: Record<string, readonly Item[]> = {};
  const UnprocessedKeys: Input<'BatchGetItem'>['RequestItems'] = {};
  let bytes = 0;
  const parts = Object.entries(input.RequestItems).map(([name, request]) => {
    const table = findTable(name);
    const scope = new Scope(request);
    const names = scope.projection(request.ProjectionExpression);
    scope.checkUsed();
    const places = request.Keys.map((key) => table.keyPlace(readItem(key)));
    refuseDoubles(places.map(({ partition, sort }) => `${partition}\0${sort}`));
    if (places.length > 100) throw validationError('Too many items requested for the BatchGetItem call');
    const seen = request.ConsistentRead ? undefined : asOf();
    const all = places.map((place) => table.rows.get(place, seen));
    const fitting = all.findIndex((item) => {
      bytes += itemBytes(item ?? {});
      return bytes > maxBatchBytes;
    });
    if (fitting !== -1) UnprocessedKeys[name] = { ...request, Keys: request.Keys.slice(fitting) };
    const found = fitting === -1 ? all : all.slice(0, fitting);
    const items = found.filter((item) => item !== undefined);
    Responses[name] = names === null ? items : items.map((item) => pick(item, names));
    const units = found.map((item) => readUnits(itemBytes(item ?? {}), request.ConsistentRead));
    return { name, units: { table: units.reduce((sum, each) => sum + each, 0), indexes: {} } };
  });
  return { Responses, UnprocessedKeys, ...consumedByAll(input, () => parts) };
}
