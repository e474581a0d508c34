/**
 * Splits a list in order into batches that each fit into one request.
 *
 * @param limits.bytes no single item may be larger
 */
export function batchesOf<Item extends { readonly bytes: number }>(
  items: readonly Item[],
  limits: { readonly items: number; readonly bytes: number },
): readonly (readonly Item[])[] {
  const batches: Item[][] = [];
  let open: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    if (open.length === limits.items || (open.length > 0 && bytes + item.bytes > limits.bytes)) {
      batches.push(open);
      open = [];
      bytes = 0;
    }
    open.push(item);
    bytes += item.bytes;
  }
  return open.length === 0 ? batches : [...batches, open];
}
