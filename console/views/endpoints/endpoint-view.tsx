import { useState } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import type { Webhook } from '../../api/records.ts';
import { useKept } from '../../kept/kept.tsx';
import { secretFor, secretOfRotated } from '../../kept/unstored.ts';
import { Badge } from '../../parts/badge.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Id } from '../../parts/copy.tsx';
import { Facts } from '../../parts/facts.tsx';
import { hostOf } from '../../parts/host-of.ts';
import { Page } from '../../parts/page.tsx';
import { LoadedView } from '../../parts/states.tsx';
import { Countdown, RelativeTime, Time } from '../../parts/time.tsx';
import { useLiveRefresh } from '../../parts/use-live-refresh.ts';
import { useLoad } from '../../parts/use-load.ts';
import { hrefOf } from '../../routing/route.ts';
import { openView } from '../../routing/use-route.ts';
import { accountOf } from '../../session/account.ts';
import { useSession } from '../../session/session.ts';
import { FailedNote } from './failed-note.tsx';
import { SecretCard } from './secret-card.tsx';
import { TestEvent } from './test-event.tsx';

/** One endpoint: its state, its secret, and what can be done with it. */
export function EndpointView({ webhookId }: { readonly webhookId: string }) {
  const { api, caller } = useSession();
  const unstored = secretFor(useKept().unstored, webhookId, caller.customer_id);
  const load = useLoad(webhookId, (signal) =>
    resultOf(api.GET('/v1/webhooks/{id}', { params: { path: { id: webhookId } }, signal })),
  );
  useLiveRefresh(load, {
    isSettled: ({ status }) => status === 'deleted',
    dueAt: (endpoint) => endpoint.previous_secret_expires_at,
  });
  return (
    <Page
      title="Endpoint"
      subject={load.result.state === 'ready' && <EndpointLine endpoint={load.result.value} />}
      up={{ href: hrefOf({ view: 'endpoints' }), label: 'Endpoints' }}
    >
      {unstored !== null && <SecretCard key={unstored.secret} unstored={unstored} />}
      <LoadedView load={load} what="the endpoint">
        {(endpoint) => <Endpoint endpoint={endpoint} onChanged={() => void load.reload()} />}
      </LoadedView>
    </Page>
  );
}

function EndpointLine({ endpoint: { url, status } }: { readonly endpoint: Webhook }) {
  return (
    <>
      <bdi class={url.length > 160 ? 'long' : undefined}>{url}</bdi> <Badge status={status} />
    </>
  );
}

type EndpointProps = { readonly endpoint: Webhook; readonly onChanged: () => void };

function Endpoint({ endpoint, onChanged }: EndpointProps) {
  const { id, status } = endpoint;
  return (
    <>
      <section class="card" aria-label="Summary">
        {status === 'failed' && <FailedNote endpoint={endpoint} />}
        {status === 'deleted' && (
          <p class="note">
            This endpoint was deleted. It receives nothing, and its deliveries stay readable.
          </p>
        )}
        <EndpointFacts endpoint={endpoint} />
        <div class="actions">
          <a class="button" href={hrefOf({ view: 'deliveries', filters: { webhook: id } })}>
            Deliveries
          </a>
          {status === 'active' && (
            <a class="button" href={hrefOf({ view: 'replays', webhookId: id })}>
              Resend what failed
            </a>
          )}
          {status === 'active' && endpoint.previous_secret_expires_at === null && (
            <Rotate endpoint={endpoint} onRotated={onChanged} />
          )}
          {status !== 'deleted' && <Delete endpoint={endpoint} />}
        </div>
      </section>
      {status === 'active' && <TestEvent endpoint={endpoint} />}
    </>
  );
}

function EndpointFacts({ endpoint }: { readonly endpoint: Webhook }) {
  const overlap = endpoint.previous_secret_expires_at;
  return (
    <Facts
      rows={[
        ['Endpoint', <Id key="id" id={endpoint.id} what="endpoint id" />],
        ['Description', endpoint.description && <bdi key="description">{endpoint.description}</bdi>],
        ['Registered', <Time key="created" at={endpoint.created_at} />],
        [
          'Last delivery',
          endpoint.last_delivery_at === null ? (
            'none yet'
          ) : (
            <RelativeTime key="last" at={endpoint.last_delivery_at} />
          ),
        ],
        ['Secret', <code key="secret">{endpoint.secret_prefix}…</code>],
        [
          'Old secret',
          overlap && (
            <>
              valid for <Countdown to={overlap} ended="a moment" /> more, until <Time at={overlap} />
            </>
          ),
        ],
      ]}
    />
  );
}

type RotateProps = { readonly endpoint: Webhook; readonly onRotated: () => void };

function Rotate({ endpoint, onRotated }: RotateProps) {
  const { api, announce, caller } = useSession();
  const { keepSecret, awaitSecret } = useKept();
  const [asking, setAsking] = useState(false);
  const rotate = async () => {
    const path = { id: endpoint.id };
    const request = resultOf(api.POST('/v1/webhooks/{id}/rotate', { params: { path } }));
    const { secret } = await awaitSecret(request);
    keepSecret(secretOfRotated(endpoint, secret, accountOf(caller)));
    announce('The secret was rotated. The new one is on the page of the endpoint');
    onRotated();
  };
  return (
    <>
      <button type="button" class="button" onClick={() => setAsking(true)}>
        Rotate the secret
      </button>
      {asking && (
        <ConfirmDialog
          title="Rotate the secret?"
          action="Rotate"
          onConfirm={rotate}
          onClose={() => setAsking(false)}
        >
          <p>
            You get a new signing secret. For 24 hours every delivery carries a signature of each, so that you
            can change your receiver without losing an event. There is no way to end these hours early.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function Delete({ endpoint }: { readonly endpoint: Webhook }) {
  const { api, announce } = useSession();
  const { forgetSecret } = useKept();
  const [asking, setAsking] = useState(false);
  const host = hostOf(endpoint.url);
  const remove = async () => {
    await resultOf(api.DELETE('/v1/webhooks/{id}', { params: { path: { id: endpoint.id } } }));
    forgetSecret(endpoint.id);
    announce('The endpoint was deleted');
    openView({ view: 'endpoints' });
  };
  return (
    <>
      <button type="button" class="button danger" onClick={() => setAsking(true)}>
        Delete
      </button>
      {asking && (
        <ConfirmDialog
          title="Delete this endpoint?"
          action="Delete"
          danger
          typed={{ text: host, label: `Type ${host} to confirm` }}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>
            No event is sent to it any more, and what is pending ends as failed. Its deliveries stay readable.
            It cannot be restored.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
