import { authenticate, authenticateLink } from '#shared/auth/authenticate.ts';
import { limitRequests } from '#shared/auth/rate-limit.ts';
import { connectServedTable } from '#shared/aws/clients.ts';
import { admitRequest } from '#shared/aws/table/credentials/rate-windows.ts';
import { noQuery } from '#shared/contract/list-query.ts';
import type { OperationName } from '#shared/contract/routes.ts';
import { apiHandler } from '#shared/runtime/api-handler.ts';
import type { ApiRequest, QueryOf, QuerySchema } from '#shared/runtime/api-request.ts';
import { setting } from '#shared/runtime/environment.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { report, withRequestId } from '#shared/runtime/telemetry.ts';
import { accessTokens } from './access-tokens.ts';

/** The table that every customer operation uses. */
export const table = connectServedTable(setting('tableName'), report, now);

type Run<Query> = (request: ApiRequest<Query>) => Promise<unknown>;

/** Builds the Lambda handler of a customer operation that takes no query parameters. */
export function customerOperation(operation: OperationName, run: Run<QueryOf<typeof noQuery>>) {
  return customerQuery(operation, noQuery, run);
}

/** Builds the Lambda handler of a customer operation with the query parameters that it takes. */
export function customerQuery<S extends QuerySchema>(operation: OperationName, query: S, run: Run<QueryOf<S>>) {
  return withRequestId(
    apiHandler(
      operation,
      {
        docsUrl: setting('docsUrl'),
        authenticate: authenticate({
          table,
          authenticateToken: accessTokens(table),
          authenticateLink: authenticateLink({ table, now }),
        }),
        limitRequests: limitRequests({
          now,
          randomBytes,
          admitRequest: (request) => admitRequest(table, request),
        }),
      },
      query,
      run,
    ),
  );
}
