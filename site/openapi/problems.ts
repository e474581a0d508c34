import { Problem, problemDocument } from '#shared/contract/problem.ts';
import { engineCodes, type ProblemCode, problemCodes } from '#shared/contract/problem-codes.ts';
import { credentialTexts } from '#shared/contract/problems/credential-problems.ts';
import { endpointTexts } from '#shared/contract/problems/endpoint-problems.ts';
import type { ProblemTexts } from '#shared/contract/problems/problem-entry.ts';
import { requestTexts } from '#shared/contract/problems/request-problems.ts';
import { serviceTexts } from '#shared/contract/problems/service-problems.ts';

const texts: ProblemTexts<ProblemCode> = {
  ...credentialTexts,
  ...requestTexts,
  ...endpointTexts,
  ...serviceTexts,
};

/** The request id in the examples. */
const exampleInstance = '4d7e1c0a-93b5-4f0e-8a57-2f6b1f0c9d34';

/** What the published page of a code says. */
export type ProblemText = ReturnType<typeof problemText>;

/**
 * What is published about a code, with an example as the API writes it.
 *
 * @param docsUrl where problem types are documented, without a trailing slash; part of the example
 */
export function problemText(code: ProblemCode, docsUrl: string) {
  const definition = problemCodes[code];
  const { example = {}, meaning, retry, fix, see = [] } = texts[code];
  const instance = engineCodes.has(code) ? undefined : exampleInstance;
  return {
    code,
    ...definition,
    meaning,
    retry,
    fix: fix === undefined ? definition.remedy : `${definition.remedy} ${fix}`,
    see,
    example: problemDocument(new Problem(code, example), docsUrl, instance),
  };
}
