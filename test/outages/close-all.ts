/** Ends what was started, the last one first; each of them once, however often this is called. */
export async function closeAll(closers: (() => Promise<unknown>)[]): Promise<void> {
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) await close();
}
