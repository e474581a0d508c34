import { z } from 'zod';
import { SchedulerError } from './scheduler-error.ts';

/** Pages in the order of the keys; the token is the last key of the page before. */
export function paginate<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  query: URLSearchParams,
): { page: readonly T[]; next: { NextToken?: string } } {
  const size = parse(z.coerce.number().int().min(1).max(100), query.get('MaxResults') ?? '100');
  const after = query.get('NextToken');
  const rest = items
    .filter((item) => after === null || keyOf(item) > after)
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const page = rest.slice(0, size);
  const last = page.at(-1);
  return { page, next: rest.length > size && last !== undefined ? { NextToken: keyOf(last) } : {} };
}

/** @throws SchedulerError ValidationException */
export function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new SchedulerError('ValidationException', z.prettifyError(parsed.error));
}
