import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Principal } from '#shared/auth/authenticate.ts';
import { headerOf } from './proxy-event.ts';
import { parseQuery } from './validate.ts';

/** The query parameters that an operation takes. */
export type QuerySchema = z.ZodMiniObject;
export type QueryOf<S extends QuerySchema> = z.output<S>;

/** A request of a customer, as the handler of an operation sees it. */
export type ApiRequest<Query = unknown> = {
  readonly customerId: string;
  readonly principal: Principal;
  /** Path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** The parsed query parameters. */
  readonly query: Query;
  /** The parsed body; `undefined` when there is none. */
  readonly body: unknown;
  /** The header `Idempotency-Key`; `null` without it. */
  readonly idempotencyKey: string | null;
  /** Counts one more request of the credential. @returns `false` when its limit is reached */
  readonly countRequest: () => Promise<boolean>;
  /** The same. @throws Problem `rate_limit_exceeded` when the limit is reached */
  readonly payRequest: () => Promise<void>;
};

/** The event after `credential()`. */
export type AuthenticatedEvent = APIGatewayProxyEvent & { readonly principal: Principal };

/** The event after `requestLimit()`. */
export type CountedEvent = AuthenticatedEvent & Pick<ApiRequest, 'countRequest' | 'payRequest'>;

/** A step of every customer operation. It may replace `request.event`, but never mutates the original event. */
export type ApiMiddleware<
  Event = APIGatewayProxyEvent,
  Internal extends Record<string, unknown> = Record<string, unknown>,
> = middy.MiddlewareObj<Event, APIGatewayProxyResult, Error, Context, Internal>;

/**
 * @param event after `jsonBody()`, which replaces the text of the body with its value
 * @throws Problem `invalid_request` that names every wrong or unknown query parameter
 */
export function toApiRequest<S extends QuerySchema>(event: CountedEvent, query: S): ApiRequest<QueryOf<S>> {
  return {
    customerId: event.principal.customerId,
    principal: event.principal,
    path: definedOnly(event.pathParameters),
    query: parseQuery(query, definedOnly(event.multiValueQueryStringParameters)),
    body: event.body ?? undefined,
    idempotencyKey: headerOf(event, 'idempotency-key') ?? null,
    countRequest: event.countRequest,
    payRequest: event.payRequest,
  };
}

type Nullable<T> = T | null | undefined;

function definedOnly<T>(record: Nullable<Readonly<Record<string, Nullable<T>>>>): Readonly<Record<string, T>> {
  const entries = Object.entries(record ?? {});
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined || value === null ? [] : [[name, value]])),
  );
}
