import { resultOf } from '../../api/client.ts';
import type { ChangeReport } from '../../api/records.ts';
import { Id } from '../../parts/copy.tsx';
import { Facts } from '../../parts/facts.tsx';
import { More } from '../../parts/more.tsx';
import { Page } from '../../parts/page.tsx';
import { LoadedView } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useLoad } from '../../parts/use-load.ts';
import { usePages } from '../../parts/use-pages.ts';
import { hrefOf } from '../../routing/route.ts';
import { useSession } from '../../session/session.ts';

/** One Tracker with its Change Reports, newest first. */
export function TrackerView({ trackerId }: { readonly trackerId: string }) {
  const { api } = useSession();
  const load = useLoad(trackerId, (signal) =>
    resultOf(api.GET('/v1/trackers/{id}', { params: { path: { id: trackerId } }, signal })),
  );
  return (
    <Page title="Tracker" up={{ href: hrefOf({ view: 'runs' }), label: 'Runs' }}>
      <LoadedView load={load} what="the Tracker">
        {(tracker) => (
          <section class="card">
            <Facts
              rows={[
                ['Tracker', <Id key="tracker" id={tracker.id} what="Tracker id" />],
                ['Kind', tracker.kind],
                ['Status', tracker.status],
                ['Created', <Time key="created" at={tracker.created_at} />],
              ]}
            />
          </section>
        )}
      </LoadedView>
      <Reports trackerId={trackerId} />
    </Page>
  );
}

function Reports({ trackerId }: { readonly trackerId: string }) {
  const { api } = useSession();
  const pages = usePages(trackerId, (cursor, signal) =>
    resultOf(
      api.GET('/v1/trackers/{id}/changes', {
        params: { path: { id: trackerId }, query: cursor === undefined ? {} : { cursor } },
        ...(signal === undefined ? {} : { signal }),
      }),
    ),
  );
  return (
    <section aria-labelledby="reports-title">
      <h2 id="reports-title">Change Reports</h2>
      <LoadedView load={pages.load} what="the Change Reports">
        {({ items }) =>
          items.length === 0 && pages.more === null ? (
            <p class="muted">This Tracker has found no changes yet.</p>
          ) : (
            items.map((report) => <Report key={report.id} report={report} />)
          )
        }
      </LoadedView>
      <More {...pages} what="Change Reports" />
    </section>
  );
}

/** A report has members of its own, as the platform wrote them. */
function Report({ report }: { readonly report: ChangeReport }) {
  return (
    <details class="card">
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
