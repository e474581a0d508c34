import { resultOf } from '../../api/client.ts';
import { Page } from '../../parts/page.tsx';
import { Empty, LoadedView } from '../../parts/states.tsx';
import { useLoad } from '../../parts/use-load.ts';
import { hrefOf } from '../../routing/route.ts';
import { useSession } from '../../session/session.ts';

/** The choice of an endpoint: deliveries are sent again to one endpoint at a time. */
export function ResendView() {
  const { api } = useSession();
  const load = useLoad('endpoints', (signal) => resultOf(api.GET('/v1/webhooks', { signal })));
  return (
    <Page
      title="Resend what failed"
      up={{ href: hrefOf({ view: 'deliveries', filters: {} }), label: 'Deliveries' }}
    >
      <LoadedView load={load} what="your endpoints">
        {({ items }) => {
          const active = items.filter(({ status }) => status === 'active');
          if (active.length === 0) {
            return (
              <Empty title="No active endpoint">
                <p>Only an active endpoint receives events, so there is nothing to send to.</p>
              </Empty>
            );
          }
          return (
            <>
              <p>Choose the endpoint whose failed deliveries you want to send again.</p>
              <ul class="rows">
                {active.map(({ id, url, description }) => (
                  <li key={id}>
                    <a class="row two" href={hrefOf({ view: 'replays', webhookId: id })}>
                      <span class="what">
                        <bdi class="url">{url}</bdi>
                        {description !== '' && <bdi class="muted text">{description}</bdi>}
                      </span>
                      <span aria-hidden="true" class="muted">
                        →
                      </span>
                    </a>
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </LoadedView>
    </Page>
  );
}
