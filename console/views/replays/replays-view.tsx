import { useState } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import { type Failure, failureOf } from '../../api/failure.ts';
import type { BulkReplayPlan } from '../../api/records.ts';
import { FailureCard } from '../../parts/failure-card.tsx';
import { Page } from '../../parts/page.tsx';
import { LoadedView } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useLoad } from '../../parts/use-load.ts';
import { hrefOf } from '../../routing/route.ts';
import { openView } from '../../routing/use-route.ts';
import { useSession } from '../../session/session.ts';
import { PlanCard } from './plan-card.tsx';
import { countText } from './replay-text.ts';
import { SinceForm } from './since-form.tsx';
import { StatusText } from './status-text.tsx';

type State =
  | { readonly step: 'asking'; readonly failure: Failure | null }
  | { readonly step: 'planning' }
  | { readonly step: 'planned'; readonly since: string; readonly plan: BulkReplayPlan };

const asking: State = { step: 'asking', failure: null };

/** Sends again what failed since a time: first the plan, then its progress. */
export function ReplaysView({ webhookId }: { readonly webhookId: string }) {
  const { api, announce } = useSession();
  const [state, setState] = useState<State>(asking);
  const params = { path: { id: webhookId } };
  const plan = async (since: string) => {
    setState({ step: 'planning' });
    try {
      const body = { status: 'failed', created_after: since } as const;
      const found = await resultOf(api.POST('/v1/webhooks/{id}/replays/plan', { params, body }));
      setState({ step: 'planned', since, plan: found });
    } catch (thrown) {
      setState({ step: 'asking', failure: failureOf(thrown) });
    }
  };
  const start = async (since: string) => {
    const body = { status: 'failed', created_after: since } as const;
    const { id } = await resultOf(api.POST('/v1/webhooks/{id}/replays', { params, body }));
    announce('Sending again has begun');
    openView({ view: 'replay', webhookId, replayId: id });
  };
  return (
    <Page
      title="Resend what failed"
      up={{ href: hrefOf({ view: 'endpoint', webhookId }), label: 'Endpoint' }}
    >
      <SinceForm
        busy={state.step === 'planning'}
        onChosen={(since) => void plan(since)}
        onChanged={() => setState((known) => (known.step === 'planned' ? asking : known))}
      />
      {state.step === 'asking' && state.failure !== null && (
        <FailureCard failure={state.failure} what="Could not count the deliveries" />
      )}
      {state.step === 'planned' && (
        <PlanCard plan={state.plan} since={state.since} onStart={() => start(state.since)} />
      )}
      <Earlier webhookId={webhookId} />
    </Page>
  );
}

/** The last bulk replays of the endpoint. */
function Earlier({ webhookId }: { readonly webhookId: string }) {
  const { api } = useSession();
  const load = useLoad(webhookId, (signal) =>
    resultOf(
      api.GET('/v1/webhooks/{id}/replays', {
        params: { path: { id: webhookId }, query: { limit: 10 } },
        signal,
      }),
    ),
  );
  return (
    <LoadedView load={load} what="earlier ones">
      {({ items }) =>
        items.length > 0 && (
          <section aria-labelledby="earlier-title">
            <h2 id="earlier-title">Earlier</h2>
            <ul class="rows">
              {items.map((job) => (
                <li key={job.id}>
                  <a class="row" href={hrefOf({ view: 'replay', webhookId, replayId: job.id })}>
                    <StatusText job={job} />
                    <span class="what">{countText(job)}</span>
                    <span class="muted when">
                      <Time at={job.created_at} />
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        )
      }
    </LoadedView>
  );
}
