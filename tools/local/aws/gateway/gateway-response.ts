import type { ApiModel, GatewayResponse } from '../../template/api-model.ts';
import type { HttpResponse } from './proxy-result.ts';

/** Failures that the gateway answers without a function, with API Gateway's status and message. */
const failures = {
  MISSING_AUTHENTICATION_TOKEN: { status: 403, message: 'Missing Authentication Token' },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long' },
  INTEGRATION_TIMEOUT: { status: 504, message: 'Endpoint request timed out' },
  DEFAULT_4XX: { status: 400, message: 'Bad Request' },
  DEFAULT_5XX: { status: 502, message: 'Internal server error' },
} as const;

export type GatewayFailure = keyof typeof failures;

const contextVariable = /\$context\.([A-Za-z]+(?:\.[A-Za-z]+)*)/g;

/** Renders the response that the template defines for a failure, or API Gateway's own. */
export function gatewayResponse(
  api: ApiModel | undefined,
  failure: GatewayFailure,
  requestId: string,
): HttpResponse {
  const { status, message } = failures[failure];
  const fallback = status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX';
  const defined = api?.gatewayResponses.get(failure) ?? api?.gatewayResponses.get(fallback);
  const context: Readonly<Record<string, string>> = {
    'error.messageString': JSON.stringify(message),
    'error.responseType': failure,
    requestId,
  };
  const template = templateOf(defined) ?? '{"message":$context.error.messageString}';
  const body = template.replace(contextVariable, (_match, name: string) => context[name] ?? '');
  return {
    status: defined?.statusCode ?? status,
    headers: new Map([['Content-Type', 'application/json'], ...headersOf(defined, context)]),
    body: Buffer.from(body),
  };
}

function templateOf(defined: GatewayResponse | undefined): string | undefined {
  return defined?.templates['application/json'] ?? Object.values(defined?.templates ?? {})[0];
}

/** Header mappings are literals in single quotes, or `context.` variables. */
function headersOf(
  defined: GatewayResponse | undefined,
  context: Readonly<Record<string, string>>,
): [string, string][] {
  return Object.entries(defined?.parameters ?? {}).flatMap(([destination, source]): [string, string][] => {
    const name = /^gatewayresponse\.header\.(.+)$/.exec(destination)?.[1];
    const value = /^'(.*)'$/.exec(source)?.[1] ?? context[source.replace(/^context\./, '')];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
}
