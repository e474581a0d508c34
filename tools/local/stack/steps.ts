import type { StackSettings } from './stack-options.ts';

/** Runs one step of the start and reports its duration. Throws if the start was stopped. */
export async function step<Result>(
  { onStep, signal }: StackSettings,
  name: string,
  run: () => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const startedAt = performance.now();
  const result = await run();
  onStep(name, performance.now() - startedAt);
  return result;
}

/** Like `Promise.all`, but waits for all promises even if one fails, so that every started part can be ended. */
export async function allStarted<const Parts extends readonly Promise<unknown>[]>(parts: Parts) {
  await Promise.allSettled(parts);
  return await Promise.all(parts);
}
