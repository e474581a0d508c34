import * as z from 'zod/mini';
import { problem, problemDocument, problemType } from '#shared/contract/problem.ts';
import { isProblemCode, problemCodes } from '#shared/contract/problem-codes.ts';
import { runLinks, trackerLinks } from '#shared/domain/event.ts';
import type { StoredProblem, StoredRun } from './stored-results.ts';

const problemRecord = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.optional(z.string()),
});

/** The record of a Run. Every member is present; unknown values are `null`. */
export const runRecord = z.object({
  id: z.string(),
  kind: z.string(),
  status: z.enum(['queued', 'running', 'completed', 'partial', 'failed']),
  tracker_id: z.nullable(z.string()),
  charge_usd: z.nullable(z.number()),
  created_at: z.string(),
  settled_at: z.nullable(z.string()),
  error: z.nullable(problemRecord),
  problems: z.nullable(z.array(problemRecord)),
  links: z.object({
    run: z.string(),
    items: z.string(),
    tracker: z.optional(z.string()),
    changes: z.optional(z.string()),
  }),
});

/** A Run of a later release may have a status that this release does not know. */
export type RunRecord = Omit<z.infer<typeof runRecord>, 'status'> & { readonly status: string };

/** Public addresses of the API and of its documentation, without a trailing slash. */
export type Addresses = { readonly baseUrl: string; readonly docsUrl: string };

export function presentRun(run: StoredRun, { baseUrl, docsUrl }: Addresses): RunRecord {
  const present = (given: StoredProblem) => presentProblem(given, docsUrl);
  return {
    id: run.id,
    kind: run.kind,
    status: run.status,
    tracker_id: run.tracker_id ?? null,
    charge_usd: run.charge_usd ?? null,
    created_at: run.created_at,
    settled_at: run.settled_at ?? null,
    error: errorOf(run, docsUrl),
    problems: run.problems?.map(present) ?? (run.status === 'partial' ? [] : null),
    links: linksOf(run, baseUrl),
  };
}

/** A failed Run always has a problem, also when the Run engine gave none. */
function errorOf({ error, status }: StoredRun, docsUrl: string): StoredProblem | null {
  if (error) return presentProblem(error, docsUrl);
  return status === 'failed' ? problemDocument(problem('internal_error'), docsUrl) : null;
}

/** Members of problem documents, and their types in those of Runs; the members of responses alone have none. */
const typesOfMembers: Readonly<Record<string, 'string' | 'number' | 'none'>> = {
  run_id: 'string',
  balance_usd: 'number',
  required_usd: 'number',
  instance: 'none',
  errors: 'none',
  limit: 'none',
  overlap_expires_at: 'none',
  replay_id: 'none',
};

/**
 * Replaces the Run engine's `type` with the address of this service's page for the code, and its `status` with that of
 * the code, and leaves out what the documents of this service have in another form. A code that the catalogue does not
 * list keeps its `type` and its `status`.
 */
function presentProblem(given: StoredProblem, docsUrl: string): StoredProblem {
  const { type, title, status, code, ...others } = given;
  const kept = Object.fromEntries(
    Object.entries(others).filter(
      ([name, value]) => !Object.hasOwn(typesOfMembers, name) || typesOfMembers[name] === typeof value,
    ),
  );
  if (!isProblemCode(code)) return { type, title, status, code, ...kept };
  return { type: problemType(code, docsUrl), title, status: problemCodes[code].status, code, ...kept };
}

function linksOf(run: StoredRun, baseUrl: string): RunRecord['links'] {
  const links = runLinks(run.id, baseUrl);
  return {
    ...links,
    items: `${links.run}/items`,
    ...(run.tracker_id ? trackerLinks(run.tracker_id, baseUrl) : {}),
  };
}
