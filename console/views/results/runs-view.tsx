import { More } from '../../parts/more.tsx';
import { Page } from '../../parts/page.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty, LoadedView } from '../../parts/states.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { usePages } from '../../parts/use-pages.ts';

/** The stored Runs of the customer, newest first. */
export function RunsView() {
  const pages = usePages('runs', (api, query, signal) => api.GET('/v1/runs', { params: { query }, signal }));
  return (
    <Page title="Runs">
      <LoadedView load={pages.load} what="the Runs">
        {({ items, next_cursor: next }) =>
          items.length === 0 && next === null ? (
            <Empty title="No Runs yet">
              <p>A Run is a job of the platform. When it settles, your endpoints receive an event.</p>
            </Empty>
          ) : (
            <Rows
              items={items}
              row={({ id, status, kind, created_at: created }) => ({
                status,
                what: (
                  <>
                    <strong>
                      <bdi>{kind}</bdi>
                    </strong>
                    <code class="muted text">{id}</code>
                  </>
                ),
                when: <RelativeTime at={created} />,
                to: { view: 'run', runId: id },
              })}
            />
          )
        }
      </LoadedView>
      <More pages={pages} what="Runs" />
    </Page>
  );
}
