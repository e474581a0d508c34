/**
 * The known word nearest to a misspelt one; `undefined` when more than half of the letters differ, and the known word is
 * not the beginning of a longer name, as `rate` is of `rate_per_second`. Two swapped letters count as one difference;
 * case does not count.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const given = word.toLowerCase();
  const measured = known.map((candidate) => {
    const name = candidate.toLowerCase();
    const share = distance(given, name) / Math.max(given.length, name.length);
    return { candidate, share: given.startsWith(`${name}_`) ? Math.min(share, 0.5) : share };
  });
  const [best] = measured.toSorted((one, other) => one.share - other.share);
  return best !== undefined && best.share <= 0.5 ? best.candidate : undefined;
}

/** The minimum number of letters to add, remove, replace, or swap with their neighbour. */
function distance(from: string, to: string): number {
  let before: readonly number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = at(above, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = isSwap ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(replaced, at(above, column) + 1, at(current, column - 1) + 1, swapped));
    }
    before = above;
    above = current;
  }
  return at(above, to.length);
}

/** A cell outside of the table is unreachable. */
function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
