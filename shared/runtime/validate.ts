import type * as z from 'zod';
import { problem, type RequestFault } from '#shared/contract/problem.ts';

/** The parsed value, or an `invalid_request` that points at every fault of the body. */
export function parseBody<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.filter(
    (issue, index, all) => !isOfWrongType(all.slice(0, index), issue),
  );
  throw problem('invalid_request', { errors: issues.map((issue) => fault(issue, pointerOf)) });
}

/** Whether the same value was found to be of another type: its length, say, is then nothing to speak of. */
function isOfWrongType(earlier: readonly z.core.$ZodIssue[], { path }: z.core.$ZodIssue): boolean {
  return earlier.some((each) => each.code === 'invalid_type' && pointerOf(each.path) === pointerOf(path));
}

/** The same for the query, whose parameters are named as `?name`. Only those that the schema knows are looked at. */
export function parseQuery<S extends z.ZodObject>(
  schema: S,
  query: Readonly<Record<string, readonly string[]>>,
): z.output<S> {
  const known = Object.entries(query).filter(([name]) => Object.hasOwn(schema.shape, name));
  const repeated = known.filter(([, values]) => values.length > 1).map(([name]) => `?${name}`);
  const parsed = schema.safeParse(Object.fromEntries(known.map(([name, values]) => [name, values[0]])));
  if (parsed.success && repeated.length === 0) return parsed.data;
  const faults = (parsed.error?.issues ?? []).map((issue) => fault(issue, queryPointerOf));
  throw problem('invalid_request', {
    errors: [
      ...repeated.map((pointer) => ({ pointer, detail: 'must be given once' })),
      ...faults.filter(({ pointer }) => !repeated.includes(pointer)),
    ],
  });
}

type PointerOf = (path: readonly PropertyKey[]) => string;

function fault(issue: z.core.$ZodIssue, toPointer: PointerOf): RequestFault {
  return { pointer: toPointer(issue.path), detail: issue.message };
}

const queryPointerOf: PointerOf = (path) => `?${path.map(String).join('.')}`;

/** RFC 6901. */
const pointerOf: PointerOf = (path) =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
