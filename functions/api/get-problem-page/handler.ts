import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { problem } from '#shared/contract/problem.ts';
import { isProblemCode } from '#shared/contract/problem-codes.ts';
import { htmlAnswer, problemAnswer } from '#shared/runtime/answers.ts';
import { setting } from '#shared/runtime/environment.ts';
import { problemPage } from '#shared/runtime/problem-page.ts';

const docsUrl = setting('docsUrl');

/** Serves the page that a problem document names in `type`. */
export const handler = async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
  const code = event.pathParameters?.code ?? '';
  return isProblemCode(code)
    ? htmlAnswer(problemPage(code))
    : problemAnswer(problem('not_found'), docsUrl, event.requestContext.requestId);
};
