import { useState } from 'preact/hooks';
import { type Failure, failureOf } from '../../api/failure.ts';
import type { BulkReplayPlan } from '../../api/records.ts';
import { FailureCard } from '../../parts/failure-card.tsx';
import { Time } from '../../parts/time.tsx';
import { clockText } from '../../parts/time-text.ts';

type Props = {
  readonly plan: BulkReplayPlan;
  readonly since: string;
  readonly onStart: () => Promise<void>;
};

/** What would be sent again, before anything is. */
export function PlanCard({ plan, since, onStart }: Props) {
  const { deliveries, already_replayed: before, oldest_created_at: oldest, newest_created_at: newest } = plan;
  const least = plan.complete ? '' : 'at least ';
  return (
    <section class="card" aria-labelledby="plan-title">
      <h2 id="plan-title">
        {deliveries === 0 ? 'Nothing to send again' : `${least}${countOf(deliveries)} to send again`}
      </h2>
      {deliveries === 0 ? (
        <p>
          No delivery that was created since <Time at={since} /> has failed and was not sent again yet.
        </p>
      ) : (
        <>
          {oldest !== null && newest !== null && (
            <p>
              Created between <Time at={oldest} /> and <Time at={newest} />.
            </p>
          )}
          <p>
            It takes {least}
            {clockText(plan.seconds * 1_000)} minutes, at a pace that your receiver can bear.
          </p>
        </>
      )}
      {before > 0 && <p class="muted">{countOf(before)} were sent again before, and are left out.</p>}
      {deliveries > 0 && <Start deliveries={deliveries} onStart={onStart} />}
    </section>
  );
}

const countOf = (deliveries: number) => (deliveries === 1 ? '1 delivery' : `${deliveries} deliveries`);

function Start({
  deliveries,
  onStart,
}: {
  readonly deliveries: number;
  readonly onStart: () => Promise<void>;
}) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const start = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await onStart();
    } catch (thrown) {
      setFailure(failureOf(thrown));
      setBusy(false);
    }
  };
  return (
    <>
      {failure !== null && <FailureCard failure={failure} what="Could not begin" />}
      <button type="button" class="button primary" disabled={busy} onClick={() => void start()}>
        {busy ? 'One moment…' : `Send ${countOf(deliveries)} again`}
      </button>
    </>
  );
}
