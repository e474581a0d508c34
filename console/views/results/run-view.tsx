import { resultOf } from '../../api/client.ts';
import type { Problem, Run, Video } from '../../api/records.ts';
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
import { RunStatus } from './run-status.tsx';

/** One Run, and the videos that it found. */
export function RunView({ runId }: { readonly runId: string }) {
  const { api } = useSession();
  const load = useLoad(runId, (signal) =>
    resultOf(api.GET('/v1/runs/{id}', { params: { path: { id: runId } }, signal })),
  );
  return (
    <Page
      title="Run"
      subject={load.result.state === 'ready' && <RunLine run={load.result.value} />}
      up={{ href: hrefOf({ view: 'runs' }), label: 'Runs' }}
    >
      <LoadedView load={load} what="the Run">
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

function RunLine({ run }: { readonly run: Run }) {
  return (
    <>
      <bdi>{run.kind}</bdi> <RunStatus status={run.status} />
    </>
  );
}

function Summary({ run }: { readonly run: Run }) {
  const problems = [...(run.error === null ? [] : [run.error]), ...(run.problems ?? [])];
  return (
    <section class="card" aria-label="Summary">
      <Facts
        rows={[
          ['Run', <Id key="run" id={run.id} what="Run id" />],
          ['Created', <Time key="created" at={run.created_at} />],
          ['Settled', run.settled_at && <Time key="settled" at={run.settled_at} />],
          ['Charge', run.charge_usd === null ? null : `USD ${run.charge_usd}`],
          ['Tracker', run.tracker_id && <TrackerLink key="tracker" trackerId={run.tracker_id} />],
        ]}
      />
      {problems.length > 0 && <Problems problems={problems} />}
      <a class="button" href={hrefOf({ view: 'deliveries', filters: { run_id: run.id } })}>
        Deliveries of this Run
      </a>
    </section>
  );
}

function TrackerLink({ trackerId }: { readonly trackerId: string }) {
  return <a href={hrefOf({ view: 'tracker', trackerId, reportId: null })}>{trackerId}</a>;
}

function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  return (
    <ul>
      {problems.map((problem, index) => (
        <li key={`${problem.code}-${index}`}>
          <strong>{problem.title}</strong> {problem.detail} <code>{problem.code}</code>
        </li>
      ))}
    </ul>
  );
}

function Items({ runId }: { readonly runId: string }) {
  const { api } = useSession();
  const pages = usePages(runId, (cursor, signal) =>
    resultOf(
      api.GET('/v1/runs/{id}/items', {
        params: { path: { id: runId }, query: cursor === undefined ? {} : { cursor } },
        ...(signal === undefined ? {} : { signal }),
      }),
    ),
  );
  return (
    <section aria-labelledby="items-title">
      <h2 id="items-title">Videos</h2>
      <LoadedView load={pages.load} what="the videos">
        {({ items }) =>
          items.length === 0 && pages.more === null ? (
            <p class="muted">This Run found no videos.</p>
          ) : (
            <VideoRows videos={items} />
          )
        }
      </LoadedView>
      <More {...pages} what="videos" />
    </section>
  );
}

/** Addresses are shown as text: they come from a platform, not from this service. */
function VideoRows({ videos }: { readonly videos: readonly Video[] }) {
  return (
    <ul class="rows">
      {videos.map((video) => (
        <li key={`${video.platform}-${video.id}`} class="row">
          <bdi>{video.platform}</bdi>
          <span class="what">
            <bdi class="text">{video.creator.name}</bdi>
            <bdi class="muted url">{video.url}</bdi>
          </span>
          <span class="muted when">
            <Time at={video.posted_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
