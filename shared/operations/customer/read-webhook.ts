import { problem } from '#shared/contract/problem.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { ReadEndpoint } from '#shared/operations/ports.ts';

/** Reads an endpoint of the customer, deleted or not. */
export function readWebhook(deps: { readonly readEndpoint: ReadEndpoint }) {
  return async (customerId: string, webhookId: string): Promise<Endpoint> => {
    const endpoint = await deps.readEndpoint(customerId, webhookId);
    if (endpoint === null) throw problem('not_found');
    return endpoint;
  };
}
