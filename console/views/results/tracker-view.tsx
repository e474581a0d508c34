import { useEffect, useRef } from 'preact/hooks';
import type { ChangeReport, Tracker } from '../../api/records.ts';
import { Id } from '../../parts/copy.tsx';
import { Facts } from '../../parts/facts.tsx';
import { More } from '../../parts/more.tsx';
import { Page } from '../../parts/page.tsx';
import { LoadedView } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { type Loaded, useRead } from '../../parts/use-load.ts';
import { usePages } from '../../parts/use-pages.ts';
import { hrefOf } from '../../routing/route.ts';

type Props = {
  readonly trackerId: string;
  /** The Change Report to open. */
  readonly reportId?: string | undefined;
};

/** One Tracker with its Change Reports, newest first. */
export function TrackerView({ trackerId, reportId }: Props) {
  const load = useRead(trackerId, (api, signal) =>
    api.GET('/v1/trackers/{id}', { params: { path: { id: trackerId } }, signal }),
  );
  return (
    <Page title="Tracker" subject={load.value?.kind} up={{ href: hrefOf({ view: 'runs' }), label: 'Runs' }}>
      {isUnknown(load.result) ? (
        <p class="note">
          Nothing is stored about the Tracker <code>{trackerId}</code> itself.
        </p>
      ) : (
        <LoadedView load={load} what="the Tracker">
          {(tracker) => <Summary tracker={tracker} />}
        </LoadedView>
      )}
      <Reports trackerId={trackerId} reportId={reportId} />
    </Page>
  );
}

/** A Change Report can be stored before its Tracker is. */
function isUnknown(result: Loaded<Tracker>): boolean {
  return result.state === 'failed' && result.failure.kind === 'problem' && result.failure.status === 404;
}

function Summary({ tracker }: { readonly tracker: Tracker }) {
  return (
    <section class="card" aria-label="Summary">
      <Facts
        rows={{
          Tracker: <Id id={tracker.id} what="Tracker id" />,
          Status: <bdi>{tracker.status}</bdi>,
          Created: <Time at={tracker.created_at} />,
        }}
      />
    </section>
  );
}

function Reports({ trackerId, reportId }: Props) {
  const pages = usePages(trackerId, (api, query, signal) =>
    api.GET('/v1/trackers/{id}/changes', { params: { path: { id: trackerId }, query }, signal }),
  );
  return (
    <section aria-labelledby="reports-title">
      <h2 id="reports-title">Change Reports</h2>
      <LoadedView load={pages.load} what="the Change Reports">
        {({ items, next_cursor: next }) => (
          <>
            {items.length === 0 && next === null && (
              <p class="muted">This Tracker has found no changes yet.</p>
            )}
            {reportId !== undefined && !items.some(({ id }) => id === reportId) && (
              <p class="note" role="status">
                <code>{reportId}</code>{' '}
                {next === null ? 'is not among the stored Change Reports.' : 'is older than those below.'}
              </p>
            )}
            {items.map((report) => (
              <Report key={report.id} report={report} isNamed={report.id === reportId} />
            ))}
          </>
        )}
      </LoadedView>
      <More pages={pages} what="Change Reports" />
    </section>
  );
}

type ReportProps = {
  readonly report: ChangeReport;
  /** Whether the address names it: then it is open. */
  readonly isNamed: boolean;
};

/** A report has members of its own, as the platform wrote them. */
function Report({ report, isNamed }: ReportProps) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (!isNamed || details.current === null) return;
    details.current.open = true;
    details.current.scrollIntoView({ block: 'nearest' });
  }, [isNamed]);
  return (
    <details ref={details} class={isNamed ? 'card named' : 'card'}>
      <summary>
        <Time at={report.created_at} /> <code class="muted">{report.id}</code>
      </summary>
      <p>
        <a href={hrefOf({ view: 'run', runId: report.run_id })}>The Run that found it</a>
      </p>
      <pre>{JSON.stringify(report, null, 2)}</pre>
    </details>
  );
}
