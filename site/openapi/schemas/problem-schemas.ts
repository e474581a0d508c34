import * as z from 'zod';
import { problemCodeNames } from '#shared/contract/problem-codes.ts';
import { runRecord } from '#shared/contract/records/run.ts';
import { described, id, link, time } from '../described.ts';

/** The problem of a Run: the document without what only a response has. */
export const runProblem = runRecord.shape.error.def.innerType;

const requestFault = z.object({ pointer: z.string(), detail: z.string() });

/** Every member that any code can add is optional, so that one type covers all codes. */
const problemDocument = z.looseObject({
  ...runProblem.shape,
  code: z.enum(problemCodeNames),
  instance: z.string().optional(),
  errors: z.array(requestFault).optional(),
  limit: z.int().optional(),
  overlap_expires_at: z.string().optional(),
  run_id: z.string().optional(),
  replay_id: z.string().optional(),
  balance_usd: z.number().optional(),
  required_usd: z.number().optional(),
});

const only = (code: string, text: string) => `Only with \`${code}\`: ${text}`;

export const problemSchemas = {
  Problem: described(
    problemDocument,
    'A failure (RFC 9457). Branch on `code`, whose meaning never changes. `title` and `detail` are for people, and ' +
      'their wording can change.',
    {
      type: link('The page that explains the code.'),
      title: 'A short summary of the code.',
      status: 'The HTTP status. In a Run, the status that the code stands for.',
      code: 'What went wrong.',
      detail: 'What went wrong this time, and what to do.',
      instance: 'The id of the request. Quote it when you contact support. Problems of a Run have none.',
      errors: only('invalid_request', 'each fault of the request.'),
      limit: 'Only with codes of a limit: the limit.',
      overlap_expires_at: time(only('webhook_rotation_in_progress', 'when the next rotation is possible.')),
      run_id: id('run', only('idempotency_conflict', 'the Run of the first request.')),
      replay_id: id('bulkReplay', only('replay_in_progress', 'the bulk replay that is running.')),
      balance_usd: only('insufficient_balance', 'the available amount.'),
      required_usd: only('insufficient_balance', 'the needed amount.'),
    },
  ),
  RequestFault: described(requestFault, 'One fault of a request.', {
    pointer:
      'Where the fault is: a JSON Pointer into the body (`/url`), `?name` for a query parameter, or the name of a header.',
    detail: 'What is wrong, and what is expected.',
  }),
} as const;
