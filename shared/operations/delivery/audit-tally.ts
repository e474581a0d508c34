import type { DeliveryKey } from '#shared/domain/delivery.ts';
import type { AuditedDelivery, AuditedReplay, Progress } from '#shared/domain/progress.ts';

/** Maximum length of a list in the result: more than an operator reads. The counts include the rest. */
export const maxListed = 100;

/** What an audit has found so far. */
export class AuditTally {
  requeued = 0;
  readonly stalledReplays: AuditedReplay[] = [];
  readonly #deliveries = { pending: 0, delivered: 0, failed: 0 };
  readonly #pending = { in_flight: 0, waiting: 0, overdue: 0, queued: 0, stranded: 0 };
  readonly #stranded: DeliveryKey[] = [];
  #oldestPending: AuditedDelivery | null = null;
  #oldestStranded: AuditedDelivery | null = null;

  count(delivery: AuditedDelivery, progress: Progress | 'ended'): void {
    this.#deliveries[delivery.status] += 1;
    if (progress === 'ended') return;
    this.#pending[progress] += 1;
    this.#oldestPending = older(this.#oldestPending, delivery);
    if (progress !== 'stranded') return;
    this.#oldestStranded = older(this.#oldestStranded, delivery);
    if (this.#stranded.length < maxListed) this.#stranded.push(delivery.key);
  }

  result() {
    return {
      deliveries: this.#deliveries,
      pending: this.#pending,
      oldestPending: this.#oldestPending,
      oldestStranded: this.#oldestStranded,
      stranded: this.#stranded,
      requeued: this.requeued,
      stalledReplays: this.stalledReplays,
    };
  }
}

function older(one: AuditedDelivery | null, other: AuditedDelivery): AuditedDelivery {
  return one !== null && one.createdAt <= other.createdAt ? one : other;
}
