import { resultOf } from '../../api/client.ts';
import { Badge } from '../../parts/badge.tsx';
import { More } from '../../parts/more.tsx';
import { Page } from '../../parts/page.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty, LoadedView } from '../../parts/states.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { usePages } from '../../parts/use-pages.ts';
import { useSession } from '../../session/session.ts';

/** The stored Runs of the customer, newest first. */
export function RunsView() {
  const { api } = useSession();
  const pages = usePages('runs', (query, signal) =>
    resultOf(api.GET('/v1/runs', { params: { query }, signal })),
  );
  return (
    <Page title="Runs">
      <LoadedView load={pages.load} what="the Runs">
        {({ items, next_cursor: next }) =>
          items.length === 0 && next === null ? (
            <Empty title="No Runs yet">
              <p>A Run is a job of the platform. When it settles, your endpoints receive an event.</p>
            </Empty>
          ) : (
            <Rows items={items} to={({ id }) => ({ view: 'run', runId: id })}>
              {(run) => (
                <>
                  <Badge status={run.status} />
                  <span class="what">
                    <strong>
                      <bdi>{run.kind}</bdi>
                    </strong>
                    <code class="muted text">{run.id}</code>
                  </span>
                  <span class="muted when">
                    <RelativeTime at={run.created_at} />
                  </span>
                </>
              )}
            </Rows>
          )
        }
      </LoadedView>
      <More pages={pages} what="Runs" />
    </Page>
  );
}
