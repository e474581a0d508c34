import type * as z from 'zod/mini';
import { nearest } from '#shared/contract/nearest.ts';
import { type Problem, problem } from '#shared/contract/problem.ts';
import type { RequestFault } from '#shared/contract/problem-codes.ts';
import { isRepeatable, plainFault } from './plain-fault.ts';

type Path = readonly PropertyKey[];

/** A query string may have thousands of names. */
const maxFaults = 10;

/** The parsed value. @throws Problem `invalid_request` that points at every fault of the body */
export function parseBody<S extends z.ZodMiniType>(schema: S, body: unknown): z.output<S> {
  const parsed = schema.safeParse(body, { error: plainFault });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.filter(
    (issue, index, all) => !isOfWrongType(all.slice(0, index), issue),
  );
  throw refusal(
    issues.map(({ path, message }) => ({
      pointer: pointerOf(path),
      detail: `${path.length === 0 ? 'The body' : nameOf(path)} ${message}`,
    })),
  );
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
  const unknown = unknownParameters(Object.keys(query), Object.keys(schema.shape));
  const known = Object.entries(query).filter(([name]) => Object.hasOwn(schema.shape, name));
  const repeated = known.filter(([, values]) => values.length > 1).map(([name]) => name);
  const values = Object.fromEntries(known.map(([name, [first]]) => [name, first]));
  const parsed = schema.safeParse(values, { error: plainFault });
  if (parsed.success && repeated.length === 0 && unknown.length === 0) return parsed.data;
  const faults = (parsed.error?.issues ?? []).map(({ path, message }) => queryFault(path, message));
  const repetitions = repeated.map((name) => queryFault([name], 'must be given once'));
  const refused = new Set(repetitions.map(({ pointer }) => pointer));
  throw refusal([...unknown, ...repetitions, ...faults.filter(({ pointer }) => !refused.has(pointer))]);
}

/** One fault for each query parameter that the operation does not take, with the name that was probably meant. */
function unknownParameters(names: readonly string[], known: readonly string[]): readonly RequestFault[] {
  return names
    .filter((name) => !known.includes(name))
    .slice(0, maxFaults)
    .map((name) => (isRepeatable(name) ? named(name, known) : unnamed(known)));
}

function named(name: string, known: readonly string[]): RequestFault {
  const meant = nearest(name, known);
  const hint = meant === undefined ? '' : ` (did you mean \`${meant}\`?)`;
  return {
    pointer: `?${name}`,
    detail: `Unknown query parameter \`${name}\`${hint}: ${allowed(known)}`,
  };
}

function unnamed(known: readonly string[]): RequestFault {
  return { pointer: '?', detail: `Unknown query parameter: ${allowed(known)}` };
}

function allowed(known: readonly string[]): string {
  if (known.length === 0) return 'this operation takes none';
  return `this operation takes ${known.map((name) => `\`${name}\``).join(', ')}`;
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
