import { PagedList, Rows } from '../../parts/lists.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { usePages } from '../../parts/use-pages.ts';
import { RelativeTime } from '../../parts/values.tsx';

/** The stored Runs of the customer, newest first. */
export function RunsView() {
  const pages = usePages('runs', (api, query, signal) => api.GET('/v1/runs', { params: { query }, signal }));
  const none = (
    <Empty title="No Runs yet">
      <p>A Run is a job of the platform. When it settles, your endpoints receive an event.</p>
    </Empty>
  );
  return (
    <Page title="Runs">
      <PagedList pages={pages} what="Runs" none={none}>
        {({ items }) => (
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
        )}
      </PagedList>
    </Page>
  );
}
