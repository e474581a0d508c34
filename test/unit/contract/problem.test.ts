import { describe, expect, expectTypeOf, it } from 'vitest';
import { Problem, problem, problemDocument } from '#shared/contract/problem.ts';
import { engineCodes, isProblemCode, problemCodeNames, problemCodes } from '#shared/contract/problem-codes.ts';
import type { ProblemDetails } from '#shared/contract/problems/problem-entry.ts';
import { problemText } from '../../../site/openapi/problems.ts';
import { statusOfCode } from '../../../tools/conformance/checks/problem-table.ts';

const docsUrl = 'https://docs.example.com';

/** Sentences of plain text; a pair of backticks marks code. */
const sentences = /^[A-Z](?:[^`\n]|`[^`\n]+`)*\.$/;

describe('problemCodes', () => {
  it('are exactly those that the conformance suite promises, with their statuses', () => {
    const statuses = Object.entries(problemCodes).map(([code, { status }]) => [code, status]);

    expect(Object.fromEntries(statuses)).toEqual(statusOfCode);
  });

  it.each(problemCodeNames)('the texts of %s say what happened, whether to retry, and how to fix it', (code) => {
    const { meaning, retry, fix } = problemText(code, docsUrl);

    expect(problemCodes[code].title).toMatch(/^[A-Z][^.]*$/);
    for (const text of [problemCodes[code].remedy, meaning, retry, fix]) expect(text).toMatch(sentences);
    expect(retry).toMatch(/^(?:Yes|No)\b/);
  });

  it.each(problemCodeNames)('the example of %s is one that the API could have written', (code) => {
    const { title, status } = problemCodes[code];
    const { example } = problemText(code, docsUrl);

    expect(example).toMatchObject({ type: `${docsUrl}/errors/${code}`, title, status, code });
    expect('instance' in example).toBe(!engineCodes.has(code));
  });

  it('no text contains a credential that could be real', () => {
    const texts = problemCodeNames.map((code) => JSON.stringify(problemText(code, docsUrl))).join('\n');

    expect(texts).not.toMatch(/(?:key_|whsec_)[A-Za-z0-9+/_-]{20,}/);
  });

  it('isProblemCode() accepts the codes, and no member that every object inherits', () => {
    expect(isProblemCode('not_found')).toBe(true);
    expect(['', 'NOT_FOUND', 'toString', 'constructor', '__proto__'].filter(isProblemCode)).toEqual([]);
  });
});

describe('problemDocument()', () => {
  it('leaves out what it does not know, and the seconds of Retry-After', () => {
    const membersOf = (failure: Problem) => Object.keys(problemDocument(failure, docsUrl));

    expect(membersOf(problem('internal_error'))).toEqual(['type', 'title', 'status', 'code']);
    expect(membersOf(problem('rate_limit_exceeded', { limit: 60, retryAfter: 7 }))).not.toContain('retryAfter');
  });

  it.each(problemCodeNames.filter((code) => problemCodes[code].status < 500))(
    'the document of %s says what to change, also without its own detail',
    (code) => {
      const { detail } = problemDocument(new Problem(code, {}), docsUrl);

      expect(`${detail}.`).toBe(problemCodes[code].remedy);
    },
  );
});

it('problem() is an error that names its code and detail', () => {
  const failure = problem('not_found', { detail: 'No such endpoint' });

  expect(failure).toBeInstanceOf(Problem);
  expect(failure).toMatchObject({ name: 'Problem', status: 404, message: 'not_found: No such endpoint' });
  expect(problem('not_found')).toMatchObject({ message: 'not_found', detail: undefined });
});

it('problem() requires the members of its code at compile time', () => {
  // @ts-expect-error retryAfter is missing
  problem('rate_limit_exceeded', { limit: 60 });
  // @ts-expect-error run_id is missing
  problem('idempotency_conflict');
  // @ts-expect-error the code does not exist
  problem('webhook_gone');
  // @ts-expect-error not a member of this code
  problem('not_found', { limit: 5 });
  // @ts-expect-error a limit is a number
  problem('webhook_limit_exceeded', { limit: '5' });

  expectTypeOf<keyof ProblemDetails<'not_found'>>().toEqualTypeOf<'detail'>();
});
