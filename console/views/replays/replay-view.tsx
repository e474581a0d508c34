import { useState } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import { type Failure, failureOf } from '../../api/failure.ts';
import type { BulkReplay } from '../../api/records.ts';
import { Id } from '../../parts/copy.tsx';
import { Facts } from '../../parts/facts.tsx';
import { FailureCard } from '../../parts/failure-card.tsx';
import { Page } from '../../parts/page.tsx';
import { LoadedView } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { clockText } from '../../parts/time-text.ts';
import { useLiveRefresh } from '../../parts/use-live-refresh.ts';
import { useLoad } from '../../parts/use-load.ts';
import { hrefOf } from '../../routing/route.ts';
import { useSession } from '../../session/session.ts';
import { countText, StatusText } from './replays-view.tsx';

type Props = { readonly webhookId: string; readonly replayId: string };

/** The progress of a bulk replay. */
export function ReplayView({ webhookId, replayId }: Props) {
  const { api } = useSession();
  const path = { id: webhookId, replayId };
  const load = useLoad(replayId, (signal) =>
    resultOf(api.GET('/v1/webhooks/{id}/replays/{replayId}', { params: { path }, signal })),
  );
  useLiveRefresh(load.reload, 1);
  return (
    <Page
      title="Sending again"
      up={{ href: hrefOf({ view: 'replays', webhookId }), label: 'Resend what failed' }}
    >
      <LoadedView load={load} what="the progress">
        {(job) => (
          <section class="card">
            <p class="summary">
              <StatusText job={job} /> <strong>{countText(job)}</strong>
            </p>
            {job.status === 'running' && <Progress job={job} onChanged={() => void load.reload()} />}
            <Facts rows={factsOf(job)} />
            <a class="button" href={hrefOf({ view: 'deliveries', filters: sentFilters(job) })}>
              See the new deliveries
            </a>
          </section>
        )}
      </LoadedView>
    </Page>
  );
}

function factsOf(job: BulkReplay) {
  return [
    ['Id', <Id key="id" id={job.id} what="id" />],
    ['Started', <Time key="started" at={job.created_at} />],
    ['Ended', job.ended_at && <Time key="ended" at={job.ended_at} />],
    ['Pace', `${job.rate} a second`],
    ['Started by', job.requested_by === 'operator' ? 'the operator of the service' : 'you'],
    ['Stopped because', job.cancel_reason === 'webhook_not_active' ? 'the endpoint was deleted' : null],
  ] as const;
}

/** The new deliveries are those of the endpoint since the start. */
function sentFilters(job: BulkReplay) {
  const before = job.ended_at === null ? {} : { created_before: job.ended_at };
  return { webhook: job.webhook_id, created_after: job.created_at, ...before };
}

type ProgressProps = { readonly job: BulkReplay; readonly onChanged: () => void };

function Progress({ job, onChanged }: ProgressProps) {
  const { api, announce } = useSession();
  const [failure, setFailure] = useState<Failure | null>(null);
  const params = { path: { id: job.webhook_id } };
  const { deliveries } = job;
  // What is left is counted once; afterwards the number of those sent says how far it is.
  const rest = useLoad(job.id, async () => {
    const body = { ...deliveries, rate: job.rate };
    const plan = await resultOf(api.POST('/v1/webhooks/{id}/replays/plan', { params, body }));
    return job.replayed + plan.deliveries;
  });
  const total = rest.result.state === 'ready' ? Math.max(rest.result.value, job.replayed) : null;
  const stop = async () => {
    try {
      const path = { id: job.webhook_id, replayId: job.id };
      await resultOf(api.POST('/v1/webhooks/{id}/replays/{replayId}/cancel', { params: { path } }));
      announce('Stopped');
      onChanged();
    } catch (thrown) {
      setFailure(failureOf(thrown));
    }
  };
  return (
    <div class="progress">
      {total !== null && (
        <>
          <progress value={job.replayed} max={Math.max(total, 1)} aria-label="Deliveries sent again" />
          <p class="muted" role="status">
            {job.replayed} of {total}, about {clockText(((total - job.replayed) / job.rate) * 1_000)} minutes
            left
          </p>
        </>
      )}
      {failure !== null && <FailureCard failure={failure} what="Could not stop" />}
      <button type="button" class="button" onClick={() => void stop()}>
        Stop
      </button>
      <p class="muted">You can leave this page: it goes on without it.</p>
    </div>
  );
}
