import type { Webhook, WebhookStats } from '../../api/records.ts';
import { Rows } from '../../parts/lists.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, LoadedView } from '../../parts/states.tsx';
import { localTime } from '../../parts/texts.ts';
import { shownStatus, worstFirst } from '../endpoints/endpoint-facts.ts';
import { EndpointName, useEndpoints, useFigures } from '../endpoints/endpoints.tsx';

/** The choice of an endpoint: deliveries are resent to one endpoint at a time. */
export function ResendView() {
  return (
    <Page title="Resend what failed" up={{ to: { view: 'deliveries', filters: {} }, label: 'Deliveries' }}>
      <LoadedView load={useEndpoints()} what="your endpoints">
        {({ items }) => {
          const active = items.filter(({ status }) => status === 'active');
          if (active.length === 0) {
            return (
              <Empty
                title="No active endpoint"
                text="Only an active endpoint receives events, so there is nothing to send to."
              />
            );
          }
          return <EndpointChoice endpoints={active} />;
        }}
      </LoadedView>
    </Page>
  );
}

/** Active endpoints with what failed lately; those that fail come first. */
function EndpointChoice({ endpoints }: { readonly endpoints: readonly Webhook[] }) {
  // The choice works without them.
  const { value: figures } = useFigures(endpoints);
  return (
    <>
      <p>Choose the endpoint whose failed deliveries you want to resend.</p>
      <Rows
        items={worstFirst(endpoints, figures)}
        row={(endpoint) => ({
          status: shownStatus(endpoint),
          what: <EndpointName endpoint={endpoint} />,
          when: <Failures stats={figures?.get(endpoint.id)} />,
          to: { view: 'replays', webhookId: endpoint.id },
        })}
      />
    </>
  );
}

/** How many of the latest deliveries of an endpoint failed. */
function Failures({ stats }: { readonly stats: WebhookStats | undefined }) {
  if (stats === undefined) return <span aria-hidden="true">→</span>;
  const { created_after: since } = stats.window;
  return <span title={`Of those created since ${localTime(since)}`}>{stats.deliveries.failed} failed</span>;
}
