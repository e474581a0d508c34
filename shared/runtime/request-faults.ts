import * as z from 'zod/mini';
import { nearest } from '#shared/contract/nearest.ts';
import type { RequestFault } from '#shared/contract/problems/problem-entry.ts';
import { isRepeatable, repeatablePath } from './plain-fault.ts';

/** A request may have thousands of names. */
export const maxFaults = 10;

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
/** `subject`: the object as a whole, at the beginning of a sentence. */
type ObjectPlace = Place & { readonly subject: string };
export const inBody: ObjectPlace = {
  kind: 'member',
  pointer: '/',
  whole: '',
  taker: 'this body',
  subject: 'The body',
};
export const inCall: ObjectPlace = { ...inBody, taker: 'this call', subject: 'The request' };
export const inQuery: Place = {
  kind: 'query parameter',
  pointer: '?',
  whole: '?',
  taker: 'this operation',
};

/** Each fault of a value that is not of the schema, in words that name its place. */
export function faultsOf(
  schema: z.core.$ZodType,
  issues: readonly z.core.$ZodIssue[],
  place: ObjectPlace,
): readonly RequestFault[] {
  const relevant = issues.filter((issue, index) => !isOfWrongType(issues.slice(0, index), issue));
  return relevant.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return unknownNames(place, issue.keys, membersOf(schema));
    const { path, message } = issue;
    const subject = path.length === 0 ? place.subject : nameOf(path);
    return { pointer: pointerOf(path), detail: `${subject} ${message}` };
  });
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

/** One fault for each name that is not known, with the name that was probably meant. */
export function unknownNames(
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

export const nameOf = (path: readonly PropertyKey[]): string => `\`${repeatablePath(path)}\``;

/** RFC 6901. */
const pointerOf = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
