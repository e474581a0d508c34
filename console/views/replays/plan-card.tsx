import type { BulkReplayPlan } from '../../api/records.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { FocusedHeading } from '../../parts/focused-heading.tsx';
import { Time } from '../../parts/time.tsx';
import { countOf, roughly } from './replay-text.ts';

type Props = {
  readonly plan: BulkReplayPlan;
  readonly since: string;
  readonly onStart: () => Promise<void>;
};

/** What would be resent, before anything is. */
export function PlanCard({ plan, since, onStart }: Props) {
  const { deliveries, already_replayed: before, oldest_created_at: oldest, newest_created_at: newest } = plan;
  const count = `${plan.complete ? '' : 'At least '}${countOf(deliveries)}`;
  const takes = `${plan.complete ? '' : 'at least '}${roughly(plan.seconds)}`;
  return (
    <section class="card" aria-labelledby="plan-title">
      <FocusedHeading id="plan-title">
        {deliveries === 0 ? 'Nothing to resend' : `${count} to resend`}
      </FocusedHeading>
      {deliveries === 0 ? (
        <p>
          No delivery that was created since <Time at={since} /> has failed and was not resent yet.
        </p>
      ) : (
        <>
          {oldest !== null && newest !== null && (
            <p>
              Created between <Time at={oldest} /> and <Time at={newest} />.
            </p>
          )}
          <p>It takes {takes}, at a pace that a receiver can bear. You can stop it at any time.</p>
        </>
      )}
      {before > 0 && (
        <p class="muted">
          {before === 1 ? '1 delivery was' : `${before} deliveries were`} resent before, and left out.
        </p>
      )}
      {deliveries > 0 && (
        <ActionButton
          label={`Resend ${countOf(deliveries)}`}
          kind="primary"
          failed="Could not begin"
          act={onStart}
        />
      )}
    </section>
  );
}
