import type * as z from 'zod';
import { problem, type RequestFault } from '../contract/problem.ts';

/** The parsed value, or an `invalid_request` that points at every fault of the body. */
export function parseBody<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw problem('invalid_request', { errors: parsed.error.issues.map((issue) => fault(issue, pointerOf)) });
}

/** The same for the query, whose parameters are named as `?name`. */
export function parseQuery<S extends z.ZodType>(
  schema: S,
  query: Readonly<Record<string, readonly string[]>>,
): z.output<S> {
  const repeated = Object.entries(query).filter(([, values]) => values.length > 1);
  const single = Object.fromEntries(Object.entries(query).map(([name, values]) => [name, values[0]]));
  const parsed = schema.safeParse(single);
  const known = parsed.success ? Object.keys(Object(parsed.data)) : [];
  const faults = [
    ...repeated
      .filter(([name]) => known.includes(name) || !parsed.success)
      .map(([name]) => ({ pointer: `?${name}`, detail: 'must be given once' })),
    ...(parsed.success ? [] : parsed.error.issues.map((issue) => fault(issue, queryPointerOf))),
  ];
  if (parsed.success && faults.length === 0) return parsed.data;
  throw problem('invalid_request', { errors: faults });
}

type PointerOf = (path: readonly PropertyKey[]) => string;

function fault(issue: z.core.$ZodIssue, toPointer: PointerOf): RequestFault {
  return { pointer: toPointer(issue.path), detail: issue.message };
}

const queryPointerOf: PointerOf = (path) => `?${path.map(String).join('.')}`;

/** RFC 6901. */
const pointerOf: PointerOf = (path) =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
