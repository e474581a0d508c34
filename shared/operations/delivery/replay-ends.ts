import type { Delivery, DeliveryKey, DeliveryStatus } from '#shared/domain/delivery.ts';
import { tallyMark } from '#shared/domain/replay-outcomes.ts';
import type { Report } from '#shared/operations/ports.ts';

/** Marks of deliveries by how they ended. */
type Marks = { readonly delivered: readonly string[]; readonly failed: readonly string[] };

/** Adds marks to a tally; those that it holds count once. */
export type AddToTally = (
  endpoint: Pick<DeliveryKey, 'customerId' | 'webhookId'>,
  tally: string,
  marks: Marks,
) => Promise<void>;

type Deps = { readonly addToTally: AddToTally; readonly report: Report };

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
  async count({ addToTally, report }: Deps): Promise<ReadonlySet<string>> {
    const uncounted = new Set<string>();
    const tallies = Map.groupBy(this.#ends, ({ tally }) => tally);
    await Promise.all(
      [...tallies].map(async ([tally, ends]) => {
        const [first] = ends;
        if (first === undefined) return;
        const ofStatus = (wanted: DeliveryStatus) =>
          ends.filter(({ status }) => status === wanted).map(({ id }) => tallyMark(id));
        try {
          await addToTally(first, tally, { delivered: ofStatus('delivered'), failed: ofStatus('failed') });
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
