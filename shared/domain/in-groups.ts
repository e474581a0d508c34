import { chunks } from './chunks.ts';

/** More concurrent writes would only wait for each other in a function of this size. */
const groupSize = 25;

/**
 * Works on items in their order, 25 at a time.
 *
 * @param mayContinue called before each further group; once it returns `false`, the rest is left out
 * @returns the results in the order of the items
 */
export async function inGroups<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  mayContinue: () => boolean = () => true,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (const group of chunks(items, groupSize)) {
    if (results.length > 0 && !mayContinue()) break;
    results.push(...(await Promise.all(group.map(work))));
  }
  return results;
}
