import { problem } from '../contract/problem.ts';
import type { Endpoint } from '../domain/endpoint.ts';
import type { ReadEndpoint } from './ports.ts';

/** Reads an endpoint of the customer, deleted or not. */
export function readWebhook(deps: { readonly readEndpoint: ReadEndpoint }) {
  return async (customerId: string, webhookId: string): Promise<Endpoint> => {
    const endpoint = await deps.readEndpoint(customerId, webhookId);
    if (endpoint === null) throw problem('not_found');
    return endpoint;
  };
}
