import { useState } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import type { BulkReplayPlan } from '../../api/records.ts';
import { FailureCard } from '../../parts/failure-card.tsx';
import { Page } from '../../parts/page.tsx';
import { Rows } from '../../parts/rows.tsx';
import { LoadedView } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useRead } from '../../parts/use-load.ts';
import { hrefOf } from '../../routing/route.ts';
import { openView } from '../../routing/use-route.ts';
import { useSession } from '../../session/session.ts';
import { useEndpoint } from '../endpoints/use-endpoints.ts';
import { PlanCard } from './plan-card.tsx';
import { countText } from './replay-text.ts';
import { SinceForm } from './since-form.tsx';

type Planned = { readonly since: string; readonly plan: BulkReplayPlan };

/** Resends what failed since a time: first the plan, then its progress. */
export function ReplaysView({ webhookId }: { readonly webhookId: string }) {
  const { api, announce } = useSession();
  const [planned, setPlanned] = useState<Planned | null>(null);
  const params = { path: { id: webhookId } };
  // Only to show which endpoint it is.
  const { value: endpoint } = useEndpoint(webhookId);
  const bodySince = (since: string) => ({ status: 'failed', created_after: since }) as const;
  const { busy, failure, run } = useAction(async (since: string) => {
    setPlanned(null);
    const body = bodySince(since);
    setPlanned({ since, plan: await resultOf(api.POST('/v1/webhooks/{id}/replays/plan', { params, body })) });
  });
  const start = async (since: string) => {
    const body = bodySince(since);
    const { id } = await resultOf(api.POST('/v1/webhooks/{id}/replays', { params, body }));
    announce('Resending has begun');
    openView({ view: 'replay', webhookId, replayId: id });
  };
  return (
    <Page
      title="Resend what failed"
      subject={endpoint?.url}
      up={{ href: hrefOf({ view: 'endpoint', webhookId }), label: 'Endpoint' }}
    >
      <SinceForm busy={busy} onChosen={(since) => void run(since)} onChanged={() => setPlanned(null)} />
      {failure !== null && <FailureCard failure={failure} what="Could not count the deliveries" />}
      {planned !== null && <PlanCard {...planned} onStart={() => start(planned.since)} />}
      <Earlier webhookId={webhookId} />
    </Page>
  );
}

/** The last bulk replays of the endpoint. */
function Earlier({ webhookId }: { readonly webhookId: string }) {
  const load = useRead(webhookId, (api, signal) => {
    const params = { path: { id: webhookId }, query: { limit: 10 } };
    return api.GET('/v1/webhooks/{id}/replays', { params, signal });
  });
  return (
    <LoadedView load={load} what="earlier ones">
      {({ items }) =>
        items.length > 0 && (
          <section aria-labelledby="earlier-title">
            <h2 id="earlier-title">Earlier</h2>
            <Rows
              items={items}
              row={(job) => ({
                status: job.status,
                what: countText(job),
                when: <Time at={job.created_at} />,
                to: { view: 'replay', webhookId, replayId: job.id },
              })}
            />
          </section>
        )
      }
    </LoadedView>
  );
}
