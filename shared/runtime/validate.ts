import * as z from 'zod/mini';
import { nearest } from '#shared/contract/nearest.ts';
import { type Problem, problem } from '#shared/contract/problem.ts';
import type { RequestFault } from '#shared/contract/problems/problem-entry.ts';
import { isRepeatable, plainFault } from './plain-fault.ts';

type Path = readonly PropertyKey[];

/** A query string or a body may have thousands of names. */
const maxFaults = 10;

/**
 * Where names are given: `pointer` begins the place of one, `whole` points at all of them, and `taker` takes the known
 * ones.
 */
type Place = {
  readonly kind: string;
  readonly pointer: string;
  readonly whole: string;
  readonly taker: string;
};
const inQuery: Place = { kind: 'query parameter', pointer: '?', whole: '?', taker: 'this operation' };
const inBody: Place = { kind: 'member', pointer: '/', whole: '', taker: 'this body' };

/**
 * The parsed value. A strict schema refuses members that it does not know, a plain one ignores them
 * (docs/decisions/0027-unknown-members.md).
 *
 * @throws Problem `invalid_request` that points at every fault of the body
 */
export function parseBody<S extends z.ZodMiniType>(schema: S, body: unknown): z.output<S> {
  const parsed = schema.safeParse(body, { error: plainFault });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.filter((issue, index, all) => !isOfWrongType(all.slice(0, index), issue));
  throw refusal(
    issues.flatMap((issue) => {
      if (issue.code === 'unrecognized_keys') return unknownNames(inBody, issue.keys, membersOf(schema));
      const { path, message } = issue;
      const subject = path.length === 0 ? 'The body' : nameOf(path);
      return { pointer: pointerOf(path), detail: `${subject} ${message}` };
    }),
  );
}

/** The names of the members that a body may have. */
function membersOf(schema: z.core.$ZodType): readonly string[] {
  if (schema instanceof z.ZodMiniPipe) return membersOf(schema.def.in);
  return schema instanceof z.ZodMiniObject ? Object.keys(schema.shape) : [];
}

/**
 * Whether an earlier fault reports the wrong type of the same value: a fault of its length, for example, is then
 * irrelevant.
 */
function isOfWrongType(earlier: readonly z.core.$ZodIssue[], { path }: z.core.$ZodIssue): boolean {
  return earlier.some((each) => each.code === 'invalid_type' && pointerOf(each.path) === pointerOf(path));
}

/**
 * The parsed query. A parameter that is ignored would look like a filter that works, so unknown ones are refused.
 *
 * @throws Problem `invalid_request` that names every wrong or unknown parameter as `?name`
 */
export function parseQuery<S extends z.ZodMiniObject>(
  schema: S,
  query: Readonly<Record<string, readonly string[]>>,
): z.output<S> {
  const known = Object.keys(schema.shape);
  const unknown = unknownNames(
    inQuery,
    Object.keys(query).filter((name) => !known.includes(name)),
    known,
  );
  const given = Object.entries(query).filter(([name]) => known.includes(name));
  const repeated = given.filter(([, values]) => values.length > 1).map(([name]) => name);
  const values = Object.fromEntries(given.map(([name, [first]]) => [name, first]));
  const parsed = schema.safeParse(values, { error: plainFault });
  if (parsed.success && repeated.length === 0 && unknown.length === 0) return parsed.data;
  const faults = (parsed.error?.issues ?? []).map(({ path, message }) => queryFault(path, message));
  const repetitions = repeated.map((name) => queryFault([name], 'must be given once'));
  const refused = new Set(repetitions.map(({ pointer }) => pointer));
  throw refusal([...unknown, ...repetitions, ...faults.filter(({ pointer }) => !refused.has(pointer))]);
}

/** One fault for each name that is not known, with the name that was probably meant. */
function unknownNames(
  { kind, pointer, whole, taker }: Place,
  names: readonly string[],
  known: readonly string[],
): readonly RequestFault[] {
  const takes = known.length === 0 ? 'none' : known.map((name) => `\`${name}\``).join(', ');
  return names.slice(0, maxFaults).map((name) => {
    if (!isRepeatable(name)) return { pointer: whole, detail: `Unknown ${kind}: ${taker} takes ${takes}` };
    const meant = nearest(name, known);
    const hint = meant === undefined ? '' : ` (did you mean \`${meant}\`?)`;
    return {
      pointer: `${pointer}${name}`,
      detail: `Unknown ${kind} \`${name}\`${hint}: ${taker} takes ${takes}`,
    };
  });
}

function queryFault(path: Path, message: string): RequestFault {
  return { pointer: `?${path.map(String).join('.')}`, detail: `${nameOf(path)} ${message}` };
}

function refusal(errors: readonly RequestFault[]): Problem {
  return problem('invalid_request', { detail: errors.map(({ detail }) => detail).join('; '), errors });
}

const nameOf = (path: Path): string => `\`${path.map(String).join('.')}\``;

/** RFC 6901. */
const pointerOf = (path: Path): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
