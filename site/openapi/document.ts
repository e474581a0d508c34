import type * as z from 'zod';
import { isPublic, type OperationName, operationNames, routes, takesKey } from '#shared/contract/routes.ts';
import { componentSchemas, reference } from './component-schemas.ts';
import { eventCallbacks, webhooks } from './events.ts';
import { requestExamples, responseExamples } from './examples.ts';
import { failures, failureText, responseComponents } from './failures.ts';
import { headerComponents, rateLimitHeaders, replayedHeader } from './headers.ts';
import { type JsonObject, jsonOf } from './json.ts';
import { type OperationDetails, paging, tagTexts } from './operations/operation-details.ts';
import { operationDetails } from './operations.ts';
import { keyParameter, pathParameters, queryParameters } from './parameters.ts';

/** The OpenAPI 3.1 description of the API, derived from its routes, schemas and problem codes. */
export function openApiDocument(): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Webhook delivery service',
      version: '1',
      summary: 'Signed webhooks for Runs and Trackers, and the stored results that they link to.',
      description:
        'Every failure is a problem document (RFC 9457); the meaning of a `code` never changes. Every list returns ' +
        '`items` and `next_cursor`. Times are ISO 8601 in UTC with milliseconds. Ids are opaque; only their prefix ' +
        'has a meaning. Responses can gain members, so ignore those that you do not know. `webhooks` describes the ' +
        'requests that endpoints receive; `Service` in their headers stands for the name of the deployment.',
      contact: { name: 'The operator of the deployment' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The address of the deployment' }],
    security: [{ bearer: [] }],
    tags: Object.entries(tagTexts).map(([name, description]) => ({ name, description })),
    paths: paths(),
    webhooks: webhooks(),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, an access token issued for a connection, or the credential of a portal link.',
        },
      },
      headers: headerComponents,
      responses: responseComponents(),
      schemas: componentSchemas(),
    },
  };
}

function paths(): JsonObject {
  const byPath = Map.groupBy(operationNames, (name) => routes[name].path);
  const item = (names: readonly OperationName[]) =>
    Object.fromEntries(names.map((name) => [routes[name].method.toLowerCase(), operation(name)]));
  return Object.fromEntries([...byPath].map(([path, names]) => [path, item(names)]));
}

function operation(name: OperationName): JsonObject {
  const route = routes[name];
  const details = operationDetails[name];
  const isList = details.query !== undefined && 'cursor' in details.query.shape;
  const description = details.description + (isList ? ` ${paging}` : '');
  return {
    operationId: name,
    tags: [details.tag],
    summary: route.summary,
    description: `${description}\n\n${failureText(name)}`,
    ...(isPublic(name) ? { security: [] } : {}),
    parameters: [...pathParameters(route.path), ...queryParameters(details), ...(takesKey(name) ? [keyParameter] : [])],
    ...(details.body === undefined
      ? {}
      : { requestBody: { required: true, content: jsonContent(details.body, requestExamples[name]) } }),
    ...(name === 'registerWebhook' ? { callbacks: eventCallbacks } : {}),
    responses: { [route.status]: successful(name, details), ...failures(name) },
  };
}

function successful(name: OperationName, { response, success: description }: OperationDetails): JsonObject {
  const ofKey = takesKey(name) ? replayedHeader : {};
  const headers = isPublic(name) ? {} : { headers: { ...rateLimitHeaders, ...ofKey } };
  if (response === null) return { description, ...headers };
  if (response === 'html') {
    return { description, content: { 'text/html': { schema: { type: 'string' } } } };
  }
  const examples: Partial<Record<OperationName, unknown>> = responseExamples;
  return { description, ...headers, content: jsonContent(response, examples[name]) };
}

const jsonContent = (schema: z.core.$ZodType, example: unknown): JsonObject => ({
  'application/json': { schema: reference(schema), example: jsonOf(example) },
});
