import { addToTally } from '#shared/aws/table/replays/replay-tallies.ts';
import type { Delivery, DeliveryStatus } from '#shared/domain/delivery.ts';
import { tallyMark } from '#shared/domain/replay-outcomes.ts';
import type { Needs } from '#shared/operations/needs.ts';

type Deps = Pick<Needs, 'table' | 'report'>;

type Ended = Pick<Delivery, 'customerId' | 'webhookId' | 'id' | 'tally'>;

/**
 * The deliveries of one endpoint that ended in a batch, as far as bulk replays made them. Each tally is written once for
 * the batch, after the outcomes are recorded. A message whose end is not counted returns, and its end is noted again.
 */
export class ReplayEnds {
  readonly #ends: (Ended & { readonly tally: string; readonly status: 'delivered' | 'failed' })[] = [];

  note(delivery: Ended, status: DeliveryStatus): void {
    const { tally } = delivery;
    if (tally !== null && status !== 'pending') this.#ends.push({ ...delivery, tally, status });
  }

  /** @returns the ids of the deliveries that could not be counted */
  async count({ table, report }: Deps): Promise<ReadonlySet<string>> {
    const uncounted = new Set<string>();
    const tallies = Map.groupBy(this.#ends, ({ tally }) => tally);
    await Promise.all(
      [...tallies].map(async ([tally, ends]) => {
        const [first] = ends;
        if (first === undefined) return;
        const ofStatus = (wanted: DeliveryStatus) =>
          ends.filter(({ status }) => status === wanted).map(({ id }) => tallyMark(id));
        try {
          const marks = { delivered: ofStatus('delivered'), failed: ofStatus('failed') };
          await addToTally(table, first, tally, marks);
        } catch (cause) {
          const { customerId, webhookId } = first;
          report({ name: 'step.failed', step: 'tally', subject: { customerId, webhookId }, cause });
          for (const { id } of ends) uncounted.add(id);
        }
      }),
    );
    return uncounted;
  }
}
