import { resultOf } from '../../api/client.ts';
import type { Webhook } from '../../api/records.ts';
import { slots } from '../../api/service-facts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, LoadedView } from '../../parts/states.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { useLiveRefresh } from '../../parts/use-live-refresh.ts';
import { useLoad } from '../../parts/use-load.ts';
import { hrefOf } from '../../routing/route.ts';
import { useSession } from '../../session/session.ts';

/** The endpoints of the customer. */
export function EndpointsView() {
  const { api } = useSession();
  const load = useLoad('endpoints', (signal) => resultOf(api.GET('/v1/webhooks', { signal })));
  useLiveRefresh(load);
  return (
    <Page
      title="Endpoints"
      actions={
        <a class="button primary" href={hrefOf({ view: 'new-endpoint' })}>
          Register an endpoint
        </a>
      }
    >
      <LoadedView load={load} what="your endpoints">
        {({ items }) => (items.length === 0 ? <NoEndpoints /> : <EndpointTable endpoints={items} />)}
      </LoadedView>
    </Page>
  );
}

function NoEndpoints() {
  return (
    <Empty title="No endpoints yet">
      <p>An endpoint is an https address of yours. Every event is sent to it as a signed POST.</p>
      <p>
        <a href="docs/first-event" target="_blank" rel="noreferrer">
          How to receive your first event
        </a>
      </p>
    </Empty>
  );
}

function EndpointTable({ endpoints }: { readonly endpoints: readonly Webhook[] }) {
  return (
    <>
      <p class="muted">
        {endpoints.length} of {slots} slots used
        {endpoints.length >= slots && '. Delete an endpoint before you register another one'}
      </p>
      <ul class="rows">
        {endpoints.map((endpoint) => (
          <li key={endpoint.id}>
            <a class="row" href={hrefOf({ view: 'endpoint', webhookId: endpoint.id })}>
              <Badge status={endpoint.status} />
              <span class="what">
                <bdi class="url">{endpoint.url}</bdi>
                {endpoint.description !== '' && <bdi class="muted text">{endpoint.description}</bdi>}
              </span>
              <span class="muted when">
                {endpoint.status === 'failed' ? (
                  'Holds a slot'
                ) : endpoint.last_delivery_at === null ? (
                  'No delivery yet'
                ) : (
                  <span>
                    Last delivery <RelativeTime at={endpoint.last_delivery_at} />
                  </span>
                )}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
