import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { problem } from '#shared/contract/problem.ts';
import { setting } from '#shared/runtime/environment.ts';
import { requestIdOf } from '#shared/runtime/proxy-event.ts';
import { problemResponse } from '#shared/runtime/responses.ts';

const docsUrl = setting('docsUrl');

/** Serves every path and method without a route, with or without a credential. */
export const handler = async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> =>
  problemResponse(problem('not_found'), docsUrl, requestIdOf(event));
