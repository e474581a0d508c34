import { type Item, pick, readItem, validationError } from './attribute-value.ts';
import { consumedByAll } from './consumed-capacity.ts';
import { Scope } from './expressions/scope.ts';
import type { Input } from './inputs.ts';
import { itemBytes } from './item-size.ts';
import { readUnits } from './reads.ts';
import { type FindTable, refuseDoubles } from './writes.ts';

const maxBatchBytes = 16 * 1024 * 1024;

/** @param asOf what eventually consistent reads see; `undefined`: the current state */
export function batchGet(findTable: FindTable, input: Input<'BatchGetItem'>, asOf: () => number | undefined) {
  const Responses: Record<string, readonly Item[]> = {};
  const parts = Object.entries(input.RequestItems).map(([name, request]) => {
    const table = findTable(name);
    const scope = new Scope(request);
    const names = scope.projection(request.ProjectionExpression);
    scope.checkUsed();
    const places = request.Keys.map((key) => table.keyPlace(readItem(key)));
    refuseDoubles(places.map(({ partition, sort }) => `${partition}\0${sort}`));
    if (places.length > 100) throw validationError('Too many items requested for the BatchGetItem call');
    const seen = request.ConsistentRead ? undefined : asOf();
    const found = places.map((place) => table.rows.get(place, seen));
    const items = found.filter((item) => item !== undefined);
    Responses[name] = names === null ? items : items.map((item) => pick(item, names));
    const units = found.map((item) => readUnits(itemBytes(item ?? {}), request.ConsistentRead));
    return { name, units: { table: units.reduce((sum, each) => sum + each, 0), indexes: {} } };
  });
  if (JSON.stringify(Responses).length > maxBatchBytes)
    throw validationError(
      'A batch of over 16 MB, of which DynamoDB leaves keys unprocessed, is not built here',
    );
  return { Responses, UnprocessedKeys: {}, ...consumedByAll(input, () => parts) };
}
