import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Principal } from '#shared/auth/authenticate.ts';

/** A request of a customer, as the handler of an operation sees it. */
export type ApiRequest = {
  readonly customerId: string;
  /** Path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** Every value of every query parameter. */
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** The parsed body; `undefined` when there is none. */
  readonly body: unknown;
};

/** The event after `credential()`. */
export type AuthenticatedEvent = APIGatewayProxyEvent & { readonly principal: Principal };

/** A step of every customer operation. It may replace `request.event`, but never mutates the original event. */
export type ApiMiddleware<
  Event = APIGatewayProxyEvent,
  Internal extends Record<string, unknown> = Record<string, unknown>,
> = middy.MiddlewareObj<Event, APIGatewayProxyResult, Error, Context, Internal>;

/** @param event after `jsonBody()`, which replaces the text of the body with its value */
export function toApiRequest(event: AuthenticatedEvent): ApiRequest {
  return {
    customerId: event.principal.customerId,
    path: definedOnly(event.pathParameters),
    query: definedOnly(event.multiValueQueryStringParameters),
    body: event.body ?? undefined,
  };
}

/** @param name in lower case; header names match in any case */
export function headerOf(event: APIGatewayProxyEvent, name: string): string | undefined {
  const found = Object.entries(event.headers ?? {}).find(([key]) => key.toLowerCase() === name);
  return found?.[1];
}

function definedOnly<T>(record: Readonly<Record<string, T | undefined>> | null): Readonly<Record<string, T>> {
  const entries = Object.entries(record ?? {});
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
