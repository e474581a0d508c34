import { resultOf } from '../../api/client.ts';
import type { Run } from '../../api/records.ts';
import { More } from '../../parts/more.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, LoadedView } from '../../parts/states.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { usePages } from '../../parts/use-pages.ts';
import { hrefOf } from '../../routing/route.ts';
import { useSession } from '../../session/session.ts';
import { RunStatus } from './run-status.tsx';

/** The stored Runs of the customer, newest first. */
export function RunsView() {
  const { api } = useSession();
  const pages = usePages('runs', (cursor, signal) =>
    resultOf(
      api.GET('/v1/runs', {
        params: { query: cursor === undefined ? {} : { cursor } },
        ...(signal === undefined ? {} : { signal }),
      }),
    ),
  );
  return (
    <Page title="Runs">
      <LoadedView load={pages.load} what="the Runs">
        {({ items }) =>
          items.length === 0 && pages.more === null ? (
            <Empty title="No Runs yet">
              <p>A Run is a job of the platform. When it settles, your endpoints receive an event.</p>
            </Empty>
          ) : (
            <RunRows runs={items} />
          )
        }
      </LoadedView>
      <More {...pages} what="Runs" />
    </Page>
  );
}

function RunRows({ runs }: { readonly runs: readonly Run[] }) {
  return (
    <ul class="rows">
      {runs.map((run) => (
        <li key={run.id}>
          <a class="row" href={hrefOf({ view: 'run', runId: run.id })}>
            <RunStatus status={run.status} />
            <span class="what">
              <strong>
                <bdi>{run.kind}</bdi>
              </strong>
              <code class="muted text">{run.id}</code>
            </span>
            <span class="muted when">
              <RelativeTime at={run.created_at} />
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
