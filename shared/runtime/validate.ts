import type * as z from 'zod/mini';
import { type Problem, problem } from '#shared/contract/problem.ts';
import type { RequestFault } from '#shared/contract/problems/problem-entry.ts';
import { plainFault } from './plain-fault.ts';
import { faultsOf, inBody, inQuery, nameOf, unknownNames } from './request-faults.ts';

/**
 * The parsed value. A strict schema refuses members that it does not know, a plain one ignores them
 * (docs/decisions/0027-unknown-members.md).
 *
 * @throws Problem `invalid_request` that points at every fault of the body
 */
export function parseBody<S extends z.ZodMiniType>(schema: S, body: unknown): z.output<S> {
  const parsed = schema.safeParse(body, { error: plainFault });
  if (parsed.success) return parsed.data;
  throw refusal(faultsOf(schema, parsed.error.issues, inBody));
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

function queryFault(path: readonly PropertyKey[], message: string): RequestFault {
  return { pointer: `?${path.map(String).join('.')}`, detail: `${nameOf(path)} ${message}` };
}

function refusal(errors: readonly RequestFault[]): Problem {
  return problem('invalid_request', { detail: errors.map(({ detail }) => detail).join('; '), errors });
}
