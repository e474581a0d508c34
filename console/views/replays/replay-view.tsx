import { useEffect, useRef } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import type { BulkReplay } from '../../api/records.ts';
import { ActionButton } from '../../parts/actions.tsx';
import { Page } from '../../parts/page.tsx';
import { LoadedView } from '../../parts/states.tsx';
import { countOf, numberText } from '../../parts/texts.ts';
import { useLoad, useRead } from '../../parts/use-load.ts';
import { Badge, ButtonLink, Facts, Id, Time } from '../../parts/values.tsx';
import { hrefOf } from '../../routing/route.ts';
import { MayChange } from '../../session/may-change.tsx';
import { useSession } from '../../session/session.ts';
import { countText, isSettled, requestOf, roughly, stopReason, toneOf } from './replay-text.ts';

type Props = { readonly webhookId: string; readonly replayId: string };

/** The progress of a bulk replay. */
export function ReplayView({ webhookId, replayId }: Props) {
  const path = { id: webhookId, replayId };
  const load = useRead(replayId, (api, signal) =>
    api.GET('/v1/webhooks/{id}/replays/{replayId}', { params: { path }, signal }),
  );
  useEndNews(load.value);
  return (
    <Page title="Resend" up={{ to: { view: 'replays', webhookId }, label: 'Resend what failed' }}>
      <LoadedView load={load} what="the progress" live={{ isSettled }}>
        {(job) => (
          <section class="card" aria-label="Progress">
            <p class="summary">
              <Badge status={job.status} tone={toneOf(job)} /> <strong>{countText(job)}</strong>
            </p>
            {job.status === 'running' && <Progress job={job} onStopped={load.reload} />}
            <Facts rows={factsOf(job)} />
            <p class="actions">
              {job.outcomes !== null && job.outcomes.failed > 0 && (
                <ButtonLink to={{ view: 'deliveries', filters: { ...sentFilters(job), status: 'failed' } }}>
                  See what failed
                </ButtonLink>
              )}
              <ButtonLink to={{ view: 'deliveries', filters: sentFilters(job) }}>See the new deliveries</ButtonLink>
            </p>
          </section>
        )}
      </LoadedView>
    </Page>
  );
}

/** Says when it has ended: its progress would be too much to listen to. */
function useEndNews(job: BulkReplay | null): void {
  const { announce } = useSession();
  const before = useRef(job?.status);
  useEffect(() => {
    if (job !== null && before.current === 'running' && job.status !== 'running')
      announce(`${job.status}: ${countText(job)}`);
    before.current = job?.status;
  }, [job?.status]);
}

function factsOf(job: BulkReplay) {
  const { source_webhook_id: source, event_type: type, response, delivery_ids: ids } = job.deliveries;
  return {
    Id: <Id text={job.id} what="id" />,
    Started: <Time at={job.created_at} />,
    Ended: job.ended_at && <Time at={job.ended_at} />,
    Pace: `${job.rate} a second`,
    'Started by': job.requested_by === 'operator' ? 'the operator of the service' : 'you',
    'Created since': <Time at={job.deliveries.created_after} />,
    'Of the endpoint': source && <a href={hrefOf({ view: 'endpoint', webhookId: source })}>{source}</a>,
    Type: type,
    Response: response,
    'Chosen by their ids': ids && countOf(ids.length),
    'Stopped because': stopReason(job.cancel_reason),
  };
}

/** The new deliveries are those of the endpoint since the start. */
function sentFilters(job: BulkReplay) {
  // The end of a range is not part of it, and the last delivery may be as new as the end of the job.
  const end = job.ended_at === null ? null : new Date(Date.parse(job.ended_at) + 1_000).toISOString();
  const before = end === null ? {} : { created_before: end };
  return { webhook: job.webhook_id, created_after: job.created_at, ...before };
}

type ProgressProps = { readonly job: BulkReplay; readonly onStopped: () => Promise<void> };

function Progress({ job, onStopped }: ProgressProps) {
  const { api } = useSession();
  const stop = async () => {
    const path = { id: job.webhook_id, replayId: job.id };
    await resultOf(api.POST('/v1/webhooks/{id}/replays/{replayId}/cancel', { params: { path } }));
    await onStopped();
  };
  return (
    <div class="progress">
      <Meter job={job} />
      <MayChange>
        <ActionButton label="Stop" busyLabel="Stopping…" failed="Could not stop" act={stop} />
      </MayChange>
      <p class="muted small">You can leave this page: it goes on without it.</p>
    </div>
  );
}

/** What is left is counted once; afterwards the number of those sent says how far it is. */
function Meter({ job }: { readonly job: BulkReplay }) {
  const { api } = useSession();
  const { value: counted } = useLoad(job.id, async (signal) => {
    const params = { path: { id: job.webhook_id } };
    const body = requestOf(job);
    const plan = await resultOf(api.POST('/v1/webhooks/{id}/replays/plan', { params, body, signal }));
    return { total: job.replayed + plan.deliveries, least: plan.complete ? '' : 'at least ' };
  });
  if (counted === null) return <progress aria-label="Deliveries resent" />;
  const { least } = counted;
  const total = Math.max(counted.total, job.replayed);
  return (
    <>
      <progress value={job.replayed} max={Math.max(total, 1)} aria-label="Deliveries resent" />
      <p class="muted">
        {numberText(job.replayed)} of {least}
        {numberText(total)}, {least}
        {roughly((total - job.replayed) / job.rate)} left
      </p>
    </>
  );
}
