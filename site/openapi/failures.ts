import { limits } from '#shared/contract/limits.ts';
import { invalidRequest, type Problem, problemDocument } from '#shared/contract/problem.ts';
import { engineCodes, type ProblemCode, problemCodeNames, problemCodes } from '#shared/contract/problem-codes.ts';
import { isPublic, type OperationName, type Route, routes } from '#shared/contract/routes.ts';
import { failureHeaders } from './headers.ts';
import { type JsonObject, jsonOf, schemaPath } from './json.ts';
import type { OperationDetails } from './operations/operation-details.ts';
import { operationDetails } from './operations.ts';
import { problemText } from './problems.ts';
import { docsUrl } from './story.ts';

/** Names of the responses that are the same for every customer operation, by status. */
const commonNames: ReadonlyMap<number, string> = new Map([
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
]);

/** Codes that every customer operation can return, beside `invalid_request`. */
const commonProblems = problemCodeNames.filter(
  (code) => !engineCodes.has(code) && commonNames.has(problemCodes[code].status),
);

/** Markdown: the codes of one operation, and what to do about each. */
export function failureText(name: OperationName): string {
  const own = routes[name].problems.map((code) => `- ${codeText(code)}`);
  const common = commonFailures(name);
  return own.length === 0 ? common : `Failures of this operation:\n\n${own.join('\n')}\n\n${common}`;
}

function commonFailures(name: OperationName): string {
  const { problems }: Route = routes[name];
  if (isPublic(name)) return 'It can also fail with `internal_error` (500).';
  const invalid = problems.includes('invalid_request') ? '' : ' `invalid_request` (400),';
  return (
    `Like every operation, it can also fail with${invalid} a code of the credential (401, 403), ` +
    '`rate_limit_exceeded` (429) and `internal_error` (500).'
  );
}

const codeText = (code: ProblemCode): string => {
  const { status, meaning, remedy } = problemText(code, docsUrl);
  return `\`${code}\` (${status}): ${meaning} ${remedy}`;
};

type Request = Pick<OperationDetails, 'fault' | 'query'>;

/** The `components.responses` of the document. */
export function responseComponents(): JsonObject {
  const byStatus = codesByStatus(commonProblems);
  return Object.fromEntries(
    [...commonNames].map(([status, name]) => {
      const codes = byStatus.get(status) ?? [];
      return [name, failure(codes, {}, failureHeaders(codes))];
    }),
  );
}

/** One response per status, with one example per code. */
export function failures(operation: OperationName): JsonObject {
  const { problems }: Route = routes[operation];
  const request = operationDetails[operation];
  const isOpen = isPublic(operation);
  const shared: readonly ProblemCode[] = isOpen ? ['internal_error'] : ['invalid_request', ...commonProblems];
  return Object.fromEntries(
    [...codesByStatus([...shared, ...problems])].map(([status, codes]) => {
      const isOwn = isOpen || codes.some((code) => problems.includes(code));
      const name = isOwn ? undefined : commonNames.get(status);
      return name === undefined
        ? [status, failure(codes, request, isOpen ? {} : failureHeaders(codes))]
        : [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function codesByStatus(codes: readonly ProblemCode[]): ReadonlyMap<number, readonly ProblemCode[]> {
  const distinct = [...new Set(codes)].toSorted((a, b) => problemCodes[a].status - problemCodes[b].status);
  return Map.groupBy(distinct, (code) => problemCodes[code].status);
}

function failure(codes: readonly ProblemCode[], request: Request, headers: JsonObject): JsonObject {
  return {
    description: codes.map(codeText).join('\n\n'),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: {
      'application/problem+json': {
        schema: { $ref: schemaPath('Problem') },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleProblem(code, request) }])),
      },
    },
  };
}

/** A fault that the operation can have. */
function exampleFault({ fault, query }: Request): Problem {
  if (fault !== undefined) return fault;
  if (query !== undefined) {
    return invalidRequest('?limit', `\`limit\` must be a whole number from 1 to ${limits.pageSizeMax}`);
  }
  return invalidRequest('?limit', 'Unknown query parameter `limit`: this operation takes none');
}

function exampleProblem(code: ProblemCode, request: Request): JsonObject {
  const usual = problemText(code, docsUrl).example;
  if (code !== 'invalid_request') return jsonOf(usual);
  return jsonOf(problemDocument(exampleFault(request), docsUrl, usual.instance));
}
