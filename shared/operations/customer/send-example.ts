import { storeDelivery } from '#shared/aws/table/deliveries/deliveries.ts';
import { readEndpoint } from '#shared/aws/table/endpoints/endpoints.ts';
import { readEvent } from '#shared/contract/event-body.ts';
import { type Delivery, pendingDelivery } from '#shared/domain/delivery.ts';
import { deliveryId } from '#shared/domain/derived-id.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { type ExampleType, exampleBody } from '#shared/domain/event.ts';
import { type IdKind, makeId } from '#shared/domain/ids.ts';
import { activeEndpoint } from '#shared/operations/found.ts';
import type { Needs } from '#shared/operations/needs.ts';
import { freshSeed, type Seed } from '#shared/operations/seed.ts';
import { type EnqueueDeps, enqueueFirstAttempt } from './enqueue-first-attempt.ts';

type Deps = EnqueueDeps & Pick<Needs, 'table' | 'now' | 'randomBytes' | 'baseUrl'>;

/**
 * Sends one endpoint a test event with an example of a type.
 *
 * @throws Problem `not_found`, `webhook_not_active`
 */
export function sendExample(deps: Deps) {
  return async (
    customerId: string,
    webhookId: string,
    type: ExampleType,
    seed: Seed = freshSeed(deps),
  ): Promise<Delivery> => {
    const endpoint = activeEndpoint(await readEndpoint(deps.table, customerId, webhookId));
    // Due for the sweep at once: if this request fails here, no message continues the delivery.
    const delivery = await storeDelivery(deps.table, newExample(deps, endpoint, type, seed), deps.now());
    await enqueueFirstAttempt(deps, endpoint, delivery);
    return delivery;
  };
}

/** The event and its delivery are of the same millisecond: the list of deliveries finds an event by its time. */
function newExample(
  { baseUrl }: Deps,
  endpoint: Endpoint,
  type: ExampleType,
  { at, entropy, partitionsOf }: Seed,
): Delivery {
  const newId = (kind: IdKind) => makeId(kind, at, entropy(kind));
  const subject = {
    runId: newId('run'),
    trackerId: newId('tracker'),
    changeReportId: newId('changeReport'),
  };
  const body = exampleBody({ id: newId('event'), createdAt: at }, endpoint.id, type, subject, baseUrl);
  return pendingDelivery({
    id: deliveryId(at, entropy('delivery'), partitionsOf(endpoint)),
    customerId: endpoint.customerId,
    webhookId: endpoint.id,
    body,
    event: readEvent(body),
  });
}
