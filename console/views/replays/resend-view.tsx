import { Rows } from '../../parts/lists.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, LoadedView } from '../../parts/states.tsx';
import { EndpointName, useEndpoints } from '../endpoints/endpoints.tsx';

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
          return (
            <>
              <p>Choose the endpoint whose failed deliveries you want to resend.</p>
              <Rows
                items={active}
                kind="two"
                row={(endpoint) => ({
                  what: <EndpointName endpoint={endpoint} />,
                  when: <span aria-hidden="true">→</span>,
                  to: { view: 'replays', webhookId: endpoint.id },
                })}
              />
            </>
          );
        }}
      </LoadedView>
    </Page>
  );
}
