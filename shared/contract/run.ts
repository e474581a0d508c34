import * as z from 'zod';
import { runLinks, trackerLinks } from '../domain/event.ts';
import type { StoredProblem, StoredRun } from './intake-message.ts';
import { problemType } from './problem.ts';

const problemRecord = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string().optional(),
});

/** The record of a Run. Every Run has every member; those that say nothing about it are `null`. */
export const runRecord = z.object({
  id: z.string(),
  kind: z.string(),
  status: z.enum(['queued', 'running', 'completed', 'partial', 'failed']),
  tracker_id: z.string().nullable(),
  charge_usd: z.number().nullable(),
  created_at: z.string(),
  settled_at: z.string().nullable(),
  error: problemRecord.nullable(),
  problems: z.array(problemRecord).nullable(),
  links: z.object({
    run: z.string(),
    items: z.string(),
    tracker: z.string().optional(),
    changes: z.string().optional(),
  }),
});

export type RunRecord = z.infer<typeof runRecord>;

/** Public addresses of the API and of its documentation, without a trailing slash. */
export type Addresses = { readonly baseUrl: string; readonly docsUrl: string };

export function presentRun(run: StoredRun, { baseUrl, docsUrl }: Addresses): RunRecord {
  const settled = 'settled_at' in run ? run : null;
  const present = (given: StoredProblem) => presentProblem(given, docsUrl);
  return {
    id: run.id,
    kind: run.kind,
    status: run.status,
    tracker_id: run.tracker_id,
    charge_usd: run.charge_usd,
    created_at: run.created_at,
    settled_at: settled?.settled_at ?? null,
    error: settled?.error ? present(settled.error) : null,
    problems: settled?.problems?.map(present) ?? null,
    links: linksOf(run, baseUrl),
  };
}

/** A failure inside a Run is documented where all others are, whatever address the Run engine gave for it. */
function presentProblem(given: StoredProblem, docsUrl: string): StoredProblem {
  return { ...given, type: problemType(given.code, docsUrl) };
}

function linksOf(run: StoredRun, baseUrl: string): RunRecord['links'] {
  const links = runLinks(run.id, baseUrl);
  return {
    ...links,
    items: `${links.run}/items`,
    ...(run.tracker_id === null ? {} : trackerLinks(run.tracker_id, baseUrl)),
  };
}
