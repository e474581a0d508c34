import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { problem } from '#shared/contract/problem.ts';
import { isProblemCode } from '#shared/contract/problem-codes.ts';
import { setting } from '#shared/runtime/environment.ts';
import { problemPage } from '#shared/runtime/problem-page.ts';
import { htmlResponse, problemResponse } from '#shared/runtime/responses.ts';

const docsUrl = setting('docsUrl');

/** Serves the page that the `type` of a problem document links to. */
export const handler = async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
  const code = event.pathParameters?.code ?? '';
  return isProblemCode(code)
    ? htmlResponse(problemPage(code))
    : problemResponse(problem('not_found'), docsUrl, event.requestContext.requestId);
};
