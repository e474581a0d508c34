import { useEffect, useRef } from 'preact/hooks';
import type { ChangeReport, Tracker } from '../../api/records.ts';
import { PagedList } from '../../parts/lists.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { LoadedView } from '../../parts/states.tsx';
import { type Load, useRead } from '../../parts/use-load.ts';
import { usePages } from '../../parts/use-pages.ts';
import { Facts, Id, Time } from '../../parts/values.tsx';
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
    <Page title="Tracker" subject={load.value?.kind} up={{ to: { view: 'runs' }, label: 'Runs' }}>
      {isUnknown(load) ? (
        <p class="note">
          Nothing is stored about the Tracker <code>{trackerId}</code> itself.
        </p>
      ) : (
        <LoadedView load={load} what="the Tracker">
          {(tracker) => (
            <section class="card" aria-label="Summary">
              <Facts
                rows={{
                  Tracker: <Id text={tracker.id} what="Tracker id" />,
                  Status: <bdi>{tracker.status}</bdi>,
                  Created: <Time at={tracker.created_at} />,
                }}
              />
            </section>
          )}
        </LoadedView>
      )}
      <Reports trackerId={trackerId} reportId={reportId} />
    </Page>
  );
}

/** A Change Report can be stored before its Tracker is. */
function isUnknown({ value, failure }: Load<Tracker>): boolean {
  return value === null && failure?.kind === 'problem' && failure.status === 404;
}

function Reports({ trackerId, reportId }: Props) {
  const pages = usePages(trackerId, (api, query, signal) =>
    api.GET('/v1/trackers/{id}/changes', { params: { path: { id: trackerId }, query }, signal }),
  );
  return (
    <Section title="Change Reports">
      <PagedList pages={pages} what="Change Reports">
        {({ items, next_cursor: next }) => (
          <>
            {items.length === 0 && next === null && <p class="muted">This Tracker has found no changes yet.</p>}
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
      </PagedList>
    </Section>
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
