import { useEffect } from 'preact/hooks';
import type { Webhook, WebhookStats } from '../../api/records.ts';
import { slots } from '../../api/service-facts.ts';
import { Rows } from '../../parts/lists.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, FailureCard, LoadedView } from '../../parts/states.tsx';
import { Elapsed, NewTab, RelativeTime } from '../../parts/values.tsx';
import { hrefOf } from '../../routing/route.ts';
import { MayChange } from '../../session/may-change.tsx';
import { shownStatus, worstFirst } from './endpoint-facts.ts';
import { OutcomeBars } from './endpoint-figures.tsx';
import { EndpointName, useEndpoints, useFigures } from './endpoints.tsx';
import { countsText, glanceTexts } from './figures.ts';

/** The endpoints of the customer. */
export function EndpointsView() {
  const load = useEndpoints();
  const register = (
    <MayChange>
      <a class="button primary" href={hrefOf({ view: 'new-endpoint' })}>
        Register an endpoint
      </a>
    </MayChange>
  );
  return (
    <Page title="Endpoints" actions={register}>
      <LoadedView load={load} what="your endpoints" live={{}}>
        {({ items }) => (items.length === 0 ? <NoEndpoints /> : <EndpointTable endpoints={worstFirst(items)} />)}
      </LoadedView>
    </Page>
  );
}

function NoEndpoints() {
  return (
    <Empty
      title="No endpoints yet"
      text="An endpoint is an https address of yours. Every event is sent to it as a signed POST."
    >
      <p>
        <NewTab href="docs/first-event">How to receive your first event</NewTab>
      </p>
    </Empty>
  );
}

function EndpointTable({ endpoints }: { readonly endpoints: readonly Webhook[] }) {
  const { value: figures, failure, reload } = useFigures(endpoints);
  // The list was just refreshed, so the API answers again.
  useEffect(() => {
    if (failure?.kind === 'offline') void reload();
  }, [endpoints]);
  return (
    <>
      <p class="muted">
        {endpoints.length} of {slots} slots used
        {endpoints.length >= slots && '. Delete an endpoint before you register another one'}
      </p>
      <Rows
        items={endpoints}
        row={(endpoint) => ({
          status: shownStatus(endpoint),
          what: (
            <>
              <EndpointName endpoint={endpoint} />
              {endpoint.status === 'active' && failure === null && <Glance stats={figures?.get(endpoint.id)} />}
            </>
          ),
          when: <LastDelivery endpoint={endpoint} />,
          to: { view: 'endpoint', webhookId: endpoint.id },
        })}
      />
      {failure !== null && (
        <FailureCard failure={failure} what="Could not load the figures" onRetry={() => void reload()} />
      )}
    </>
  );
}

/** How the newest deliveries of an endpoint went. @param stats `undefined` until they are loaded */
function Glance({ stats }: { readonly stats: WebhookStats | undefined }) {
  return (
    <span class="outcomes glance">
      {stats !== undefined && (
        <>
          <OutcomeBars stats={stats} label={countsText(stats.deliveries)} />
          {glanceTexts(stats).map((text) => (
            <span key={text}>{text}</span>
          ))}
        </>
      )}
    </span>
  );
}

function LastDelivery({ endpoint }: { readonly endpoint: Webhook }) {
  const { status, last_delivery_at: last, failing_since: failing } = endpoint;
  if (status === 'failed') return 'Holds a slot';
  if (failing !== null) {
    return (
      <span>
        Failing for <Elapsed since={failing} />
      </span>
    );
  }
  if (last === null) return 'No delivery yet';
  return (
    <span>
      Last delivery <RelativeTime at={last} />
    </span>
  );
}
