import * as z from 'zod/mini';
import { limits } from '#shared/contract/limits.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { type DeliveryRecord, deliveryRecord, presentDelivery } from './delivery.ts';
import { presentWebhook, webhookRecord } from './webhook.ts';

/** The response to a registration. */
export const registrationRecord = z.object({
  webhook: webhookRecord,
  secret: z.string(),
  test_delivery: deliveryRecord,
  next_step: z.string(),
});

/** Like its delivery: another release may have other event types. */
type RegistrationRecord = Omit<z.infer<typeof registrationRecord>, 'test_delivery'> & {
  readonly test_delivery: DeliveryRecord;
};

export type Registration = {
  readonly endpoint: Endpoint;
  /** Shown only in this response. */
  readonly secret: string;
  readonly handshake: Delivery;
};

/** @param now epoch milliseconds */
export function presentRegistration({ endpoint, secret, handshake }: Registration, now: number): RegistrationRecord {
  return {
    webhook: presentWebhook(endpoint, now),
    secret,
    test_delivery: presentDelivery(handshake),
    next_step: nextStep(endpoint),
  };
}

/** What to do after a registration, as text for people without a final period. */
export function nextStep({ id, status }: Pick<Endpoint, 'id' | 'status'>): string {
  switch (status) {
    case 'active':
      return (
        'Store `secret`, which is not shown again, and verify every event with it. Then ask for an example event with ' +
        `\`POST /v1/webhooks/${id}/examples\`: a firewall may let the test event pass and refuse events`
      );
    case 'failed':
      return (
        'The handshake failed, and `error` of `test_delivery` says why. The event `webhook.test` comes before you know ' +
        '`secret`, so answer it with 2xx without verifying it. This endpoint receives nothing and holds one of your ' +
        `${limits.endpointsPerCustomer} slots: delete it with \`DELETE /v1/webhooks/${id}\`, then register the URL again`
      );
    case 'deleted':
      return 'The endpoint was deleted during its handshake. Register the URL again if you need it';
  }
}
