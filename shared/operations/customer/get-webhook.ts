import type { Endpoint } from '#shared/domain/endpoint.ts';
import { found } from '#shared/operations/found.ts';
import type { ReadAttemptTimes, ReadEndpoint } from '#shared/operations/ports.ts';
import { withLastDelivery } from './last-delivery.ts';

type Deps = { readonly readEndpoint: ReadEndpoint; readonly readAttemptTimes: ReadAttemptTimes };

/** An endpoint of a customer, deleted or not. */
export function getWebhook({ readEndpoint, readAttemptTimes }: Deps) {
  const complete = withLastDelivery(readAttemptTimes);
  return async (customerId: string, webhookId: string): Promise<Endpoint> =>
    complete(found(await readEndpoint(customerId, webhookId)));
}
