import { Problem, type ProblemDocument, problemDocument } from '#shared/contract/problem.ts';
import { type ProblemCode, problemCodes } from '#shared/contract/problem-codes.ts';

export type ProblemText = {
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly raisedBy: 'api' | 'engine';
  readonly retry: string;
  readonly fix: string;
  readonly see: readonly string[];
  readonly example: ProblemDocument;
};

export function problemText(code: ProblemCode, docsUrl: string): ProblemText {
  const { status, title, meaning, raisedBy, remedy } = problemCodes[code];
  const example = problemDocument(new Problem(code, {}), docsUrl, 'f4d3c2b1-0000-4000-8000-000000000000');
  const retry = status === 429 || status >= 500 ? 'Yes.' : 'No.';
  return { code, status, title, meaning, raisedBy, retry, fix: remedy, see: [], example };
}
