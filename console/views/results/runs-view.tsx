import type { Run } from '../../api/records.ts';
import { PagedList, Rows } from '../../parts/lists.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Empty, LoadedView } from '../../parts/states.tsx';
import { useRead } from '../../parts/use-load.ts';
import { usePages } from '../../parts/use-pages.ts';
import { ButtonLink, Facts, Id, RelativeTime, Time } from '../../parts/values.tsx';
import { hrefOf } from '../../routing/route.ts';

/** The stored Runs of the customer, newest first. */
export function RunsView() {
  const pages = usePages('runs', (api, query, signal) => api.GET('/v1/runs', { params: { query }, signal }));
  const none = (
    <Empty
      title="No Runs yet"
      text="A Run is a job of the platform. When it settles, your endpoints receive an event."
    />
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

/** One Run, and the videos that it found. */
export function RunView({ runId }: { readonly runId: string }) {
  const load = useRead(runId, (api, signal) => api.GET('/v1/runs/{id}', { params: { path: { id: runId } }, signal }));
  return (
    <Page
      title="Run"
      subject={load.value?.kind}
      status={load.value?.status}
      up={{ to: { view: 'runs' }, label: 'Runs' }}
    >
      <LoadedView load={load} what="the Run" live={{ isSettled: ({ settled_at: at }) => at !== null }}>
        {(run) => (
          <>
            <Summary run={run} />
            {(run.status === 'completed' || run.status === 'partial') && <Items runId={runId} />}
          </>
        )}
      </LoadedView>
    </Page>
  );
}

function Summary({ run }: { readonly run: Run }) {
  const problems = [...(run.error === null ? [] : [run.error]), ...(run.problems ?? [])];
  return (
    <section class="card" aria-label="Summary">
      <Facts
        rows={{
          Run: <Id text={run.id} what="Run id" />,
          Created: <Time at={run.created_at} />,
          Settled: run.settled_at && <Time at={run.settled_at} />,
          Charge: run.charge_usd === null ? null : `USD ${run.charge_usd}`,
          Tracker: run.tracker_id && (
            <a href={hrefOf({ view: 'tracker', trackerId: run.tracker_id })}>{run.tracker_id}</a>
          ),
        }}
      />
      {problems.length > 0 && (
        <ul>
          {problems.map(({ code, title, detail }, index) => (
            <li key={`${code}-${index}`}>
              <strong>{title}</strong> {detail} <code>{code}</code>
            </li>
          ))}
        </ul>
      )}
      <ButtonLink to={{ view: 'deliveries', filters: { run_id: run.id } }}>Deliveries of this Run</ButtonLink>
    </section>
  );
}

function Items({ runId }: { readonly runId: string }) {
  const pages = usePages(runId, (api, query, signal) =>
    api.GET('/v1/runs/{id}/items', { params: { path: { id: runId }, query }, signal }),
  );
  return (
    <Section title="Videos">
      <PagedList pages={pages} what="videos" none={<p class="muted">This Run found no videos.</p>}>
        {({ items }) => (
          // Addresses are shown as text: they come from a platform, not from this service.
          <Rows
            items={items}
            row={({ platform, creator, url, posted_at: posted }) => ({
              lead: <bdi>{platform}</bdi>,
              what: (
                <>
                  <bdi class="text">{creator.name}</bdi>
                  <bdi class="muted url">{url}</bdi>
                </>
              ),
              when: <Time at={posted} />,
            })}
          />
        )}
      </PagedList>
    </Section>
  );
}
