import type { Lane } from '#shared/domain/lane.ts';
import { setting } from '#shared/runtime/environment.ts';

/** The delivery queue of each lane. */
export const deliveryQueueUrls: Readonly<Record<Lane, string>> = {
  ordinary: setting('deliveryQueueUrl'),
  slow: setting('slowDeliveryQueueUrl'),
};
