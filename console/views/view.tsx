import { Page } from '../parts/page.tsx';
import { hrefOf, type Route } from '../routing/route.ts';
import { useSession } from '../session/session.ts';
import { DeliveriesView } from './deliveries/deliveries-view.tsx';
import { DeliveryView } from './deliveries/delivery-view.tsx';
import { EndpointView } from './endpoints/endpoint-view.tsx';
import { EndpointsView } from './endpoints/endpoints-view.tsx';
import { NewEndpointView } from './endpoints/new-endpoint-view.tsx';
import { ReplayView } from './replays/replay-view.tsx';
import { ReplaysView } from './replays/replays-view.tsx';
import { ResendView } from './replays/resend-view.tsx';
import { RunsView, RunView } from './results/runs-view.tsx';
import { TrackerView } from './results/tracker-view.tsx';
import { SignatureView } from './signature/signature-view.tsx';

/** Views with nothing but a change. */
const changes: ReadonlySet<Route['view']> = new Set(['new-endpoint', 'resend']);

/** The view of a route. */
export function View({ route }: { readonly route: Route }) {
  if (useSession().caller.read_only && changes.has(route.view)) {
    return <NoView title="This needs another link" why="This link can only read." />;
  }
  switch (route.view) {
    case 'endpoints':
      return <EndpointsView />;
    case 'new-endpoint':
      return <NewEndpointView />;
    case 'endpoint':
      return <EndpointView webhookId={route.webhookId} />;
    case 'deliveries':
      return <DeliveriesView filters={route.filters} />;
    case 'delivery':
      return <DeliveryView webhookId={route.webhookId} deliveryId={route.deliveryId} />;
    case 'resend':
      return <ResendView />;
    case 'replays':
      return <ReplaysView webhookId={route.webhookId} />;
    case 'replay':
      return <ReplayView webhookId={route.webhookId} replayId={route.replayId} />;
    case 'signature':
      return <SignatureView />;
    case 'runs':
      return <RunsView />;
    case 'run':
      return <RunView runId={route.runId} />;
    case 'tracker':
    case 'report':
      return <TrackerView {...route} />;
    case 'unknown':
      return <NoView title="This address has no view" why="The link may be incomplete." />;
  }
}

function NoView({ title, why }: { readonly title: string; readonly why: string }) {
  return (
    <Page title={title}>
      <p>
        {why} <a href={hrefOf({ view: 'endpoints' })}>Go to your endpoints</a>
      </p>
    </Page>
  );
}
