import type { Endpoint } from '#shared/domain/endpoint.ts';
import { attemptPageSize, latestAttempt, latestTime, nextAttemptPage } from '#shared/domain/last-delivery.ts';
import type { ReadAttemptTimes } from '#shared/operations/ports.ts';

/** Completes an endpoint for display: the time of its last delivery is the later of the stored one and the newest. */
export function withLastDelivery(readAttemptTimes: ReadAttemptTimes) {
  return async (endpoint: Endpoint): Promise<Endpoint> => {
    const partitions = Array.from({ length: endpoint.deliveryPartitions }, (_, partition) => partition);
    const times = await Promise.all(
      partitions.map((partition) => latestIn(readAttemptTimes, endpoint, partition)),
    );
    return { ...endpoint, lastDeliveryAt: latestTime([endpoint.lastDeliveryAt, ...times]) };
  };
}

/** The start of the last attempt that the newest deliveries of a partition show. */
async function latestIn(
  readAttemptTimes: ReadAttemptTimes,
  endpoint: Endpoint,
  partition: number,
): Promise<number | null> {
  const size = attemptPageSize(endpoint.deliveryPartitions);
  let latest: number | null = null;
  let before: string | null = null;
  for (let pages = 1; ; pages += 1) {
    const page = await readAttemptTimes(endpoint, partition, before, size);
    latest = latestTime([latest, latestAttempt(page)]);
    before = nextAttemptPage(page, pages, size);
    if (before === null) return latest;
  }
}
