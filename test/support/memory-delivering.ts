import type { DeliveryMessage } from '../../shared/contract/delivery-message.ts';
import type { PostResult } from '../../shared/domain/attempt.ts';
import type { Delivery } from '../../shared/domain/delivery.ts';
import type { Endpoint } from '../../shared/domain/endpoint.ts';
import { type DeliverDeps, deliverAttempts } from '../../shared/operations/deliver-attempts.ts';
import type { PostEvent, ScheduleAttempt } from '../../shared/operations/ports.ts';
import {
  acknowledged,
  buildDelivery,
  buildEndpoint,
  customerId,
  openSealed,
  startOfTest,
} from './builders.ts';
import { memoryDeliveries } from './memory-deliveries.ts';
import { countingBytes, createClock, createJournal, createReports } from './memory-deps.ts';
import { memoryEndpoints } from './memory-endpoints.ts';

type World = {
  readonly deliveries?: readonly Delivery[];
  readonly endpoints?: readonly Endpoint[];
  /** What the receiver does; it acknowledges unless told otherwise. */
  readonly receiver?: (request: Parameters<PostEvent>[0]) => PostResult | Promise<PostResult>;
  readonly deps?: Partial<DeliverDeps>;
};

/** Attempts at deliveries in memory, with everything that they did. */
export function createDelivering(given: World = {}) {
  const clock = createClock(startOfTest);
  const journal = createJournal();
  const reports = createReports();
  const deliveries = memoryDeliveries(...(given.deliveries ?? [buildDelivery()]));
  const endpoints = memoryEndpoints(...(given.endpoints ?? [buildEndpoint()]));
  const posts: Parameters<PostEvent>[0][] = [];
  const scheduled: { readonly message: DeliveryMessage; readonly at: number }[] = [];
  const touched: { readonly id: string; readonly at: number }[] = [];
  const scheduleAttempt: ScheduleAttempt = async (message, at) => void scheduled.push({ message, at });
  const deps: DeliverDeps = {
    now: clock.now,
    earliness: 0,
    serviceName: 'Service',
    randomBytes: countingBytes(),
    openSecret: openSealed,
    report: reports.report,
    readLiveEndpoint: endpoints.readLiveEndpoint,
    claimAttempt: journal.note('claim', deliveries.claimAttempt),
    recordAttempt: journal.note('record', deliveries.recordAttempt),
    cancelDelivery: journal.note('cancel', deliveries.cancelDelivery),
    scheduleAttempt: journal.note('schedule', scheduleAttempt),
    touchEndpoint: async (endpoint, at) => void touched.push({ id: endpoint.id, at }),
    postEvent: journal.note('post', async (request) => {
      posts.push(request);
      return (given.receiver ?? (() => acknowledged))(request);
    }),
    ...given.deps,
  };
  return {
    clock,
    deliveries,
    endpoints,
    posts,
    scheduled,
    touched,
    steps: journal.entries,
    events: reports.events,
    deliver: deliverAttempts(deps),
  };
}

/** A message for an attempt of a delivery, the first one unless told otherwise. */
export function messageFor(attempt = 1, delivery: Partial<Delivery> = {}): DeliveryMessage {
  const { webhookId: webhook, id } = buildDelivery(delivery);
  return { customer_id: customerId, webhook_id: webhook, delivery_id: id, attempt };
}
