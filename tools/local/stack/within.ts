/** Waits for `work`, up to a time limit. Resolves to `undefined` when the limit passes first. */
export async function within<T>(limitMs: number, work: Promise<T>): Promise<T | undefined> {
  const limit = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => limit.resolve(undefined), limitMs);
  try {
    return await Promise.race([work, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}
