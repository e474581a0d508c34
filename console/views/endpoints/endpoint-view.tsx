import { useState } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import { accountOf, type Webhook } from '../../api/records.ts';
import { useKept } from '../../kept/kept.tsx';
import { secretFor } from '../../kept/unstored.ts';
import { ConfirmButton } from '../../parts/actions.tsx';
import { Page } from '../../parts/page.tsx';
import { LoadedView } from '../../parts/states.tsx';
import { hostOf } from '../../parts/texts.ts';
import { ButtonLink, Countdown, Facts, Id, RelativeTime, Time } from '../../parts/values.tsx';
import { hrefOf } from '../../routing/route.ts';
import { openLater } from '../../routing/use-route.ts';
import { MayChange } from '../../session/may-change.tsx';
import { useSession } from '../../session/session.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import { EndpointActivity } from './endpoint-activity.tsx';
import { shownStatus } from './endpoint-facts.ts';
import { EndpointFigures } from './endpoint-figures.tsx';
import { FailedNote, FailingNote, SecretCard, UntriedNote } from './endpoint-notes.tsx';
import { useEndpoint } from './endpoints.tsx';
import { TestEvent } from './test-event.tsx';

/** One endpoint: its state, its secret, and what can be done with it. */
export function EndpointView({ webhookId }: { readonly webhookId: string }) {
  const { caller } = useSession();
  const unstored = secretFor(useKept().unstored, webhookId, caller.customer_id);
  const load = useEndpoint(webhookId);
  return (
    <Page
      title="Endpoint"
      subject={load.value?.url}
      status={load.value === null ? undefined : shownStatus(load.value)}
      up={{ to: { view: 'endpoints' }, label: 'Endpoints' }}
    >
      {unstored !== null && <SecretCard key={unstored.secret} unstored={unstored} />}
      <LoadedView
        load={load}
        what="the endpoint"
        live={{
          isSettled: ({ status }) => status === 'deleted',
          dueAt: (endpoint) => endpoint.previous_secret_expires_at,
        }}
      >
        {(endpoint) => <Endpoint endpoint={endpoint} onChanged={() => void load.reload()} />}
      </LoadedView>
    </Page>
  );
}

type EndpointProps = { readonly endpoint: Webhook; readonly onChanged: () => void };

function Endpoint({ endpoint, onChanged }: EndpointProps) {
  const { id, status } = endpoint;
  const { caller } = useSession();
  const [changes, setChanges] = useState(0);
  const countChange = () => setChanges((count) => count + 1);
  const onRotated = () => {
    countChange();
    onChanged();
  };
  return (
    <>
      <section class="card" aria-label="Summary">
        {status === 'failed' && <FailedNote endpoint={endpoint} />}
        <FailingNote endpoint={endpoint} />
        <UntriedNote endpoint={endpoint} />
        {status === 'deleted' && (
          <p class="note">This endpoint was deleted. It receives nothing, and its deliveries stay readable.</p>
        )}
        <EndpointFacts endpoint={endpoint} />
        <div class="actions">
          <ButtonLink to={{ view: 'deliveries', filters: { webhook: id } }}>Deliveries</ButtonLink>
          {status === 'active' && (
            <ButtonLink to={{ view: 'replays', webhookId: id }}>
              {caller.read_only ? 'Bulk resends' : 'Resend what failed'}
            </ButtonLink>
          )}
          <MayChange>
            {status === 'active' && <Rotate endpoint={endpoint} onRotated={onRotated} />}
            {status !== 'deleted' && <Delete endpoint={endpoint} />}
          </MayChange>
        </div>
      </section>
      {status !== 'failed' && <EndpointFigures endpoint={endpoint} />}
      <MayChange>
        <TestEvent endpoint={endpoint} onSent={countChange} />
      </MayChange>
      <EndpointActivity webhookId={id} changes={changes} />
    </>
  );
}

function EndpointFacts({ endpoint }: { readonly endpoint: Webhook }) {
  const { last_delivery_at: last, previous_secret_expires_at: overlap } = endpoint;
  return (
    <Facts
      rows={{
        Endpoint: <Id text={endpoint.id} what="endpoint id" />,
        Description: endpoint.description && <bdi>{endpoint.description}</bdi>,
        Registered: <Time at={endpoint.created_at} />,
        'Last delivery': last === null ? 'none yet' : <RelativeTime at={last} />,
        Secret: (
          <>
            <code>{endpoint.secret_prefix}…</code> · <a href={hrefOf({ view: 'signature' })}>check a signature</a>
          </>
        ),
        'Old secret': overlap && (
          <>
            valid for <Countdown to={overlap} /> more, until <Time at={overlap} />
          </>
        ),
      }}
    />
  );
}

type RotateProps = { readonly endpoint: Webhook; readonly onRotated: () => void };

function Rotate({ endpoint, onRotated }: RotateProps) {
  const { api, announce, caller } = useSession();
  const { keepSecret, awaitSecret } = useKept();
  const { id, url } = endpoint;
  const rotate = async () => {
    const { secret } = await awaitSecret(resultOf(api.POST('/v1/webhooks/{id}/rotate', { params: { path: { id } } })));
    keepSecret({ webhookId: id, url, secret, owner: accountOf(caller), handshake: null });
    announce('The secret was rotated. The new one is on the page of the endpoint');
    onRotated();
  };
  // A rotation whose response was lost can be repeated, although its overlap is open.
  if (endpoint.previous_secret_expires_at !== null && !api.isUnanswered(`/v1/webhooks/${id}/rotate`)) return null;
  return (
    <ConfirmButton label="Rotate the secret" title="Rotate the secret?" action="Rotate" onConfirm={rotate}>
      <p>
        You get a new signing secret. For 24 hours every delivery carries a signature of each, so that you can change
        your receiver without losing an event. There is no way to end these hours early.
      </p>
    </ConfirmButton>
  );
}

function Delete({ endpoint }: { readonly endpoint: Webhook }) {
  const { api, announce } = useSession();
  const { forgetSecret } = useKept();
  const remove = async () => {
    const open = openLater();
    await deleteEndpoint(api, endpoint.id);
    forgetSecret(endpoint.id);
    announce('The endpoint was deleted');
    open({ view: 'endpoints' });
  };
  return (
    <ConfirmButton
      label="Delete"
      kind="danger"
      title="Delete this endpoint?"
      action="Delete"
      danger
      typed={hostOf(endpoint.url)}
      onConfirm={remove}
    >
      <p>
        No event is sent to it any more, and what is pending ends as failed. Its deliveries stay readable. It cannot be
        restored.
      </p>
    </ConfirmButton>
  );
}
