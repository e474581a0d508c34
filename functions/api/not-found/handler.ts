import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { problem } from '#shared/contract/problem.ts';
import { problemAnswer } from '#shared/runtime/answers.ts';
import { setting } from '#shared/runtime/environment.ts';

const docsUrl = setting('docsUrl');

/** Answers every path and method that no route names, whoever asks. */
export const handler = async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> =>
  problemAnswer(problem('not_found'), docsUrl, event.requestContext.requestId);
