import type { Webhook } from '../../api/records.ts';
import { slots } from '../../api/service-facts.ts';
import { useKept } from '../../kept/kept.tsx';
import type { Unstored } from '../../kept/unstored.ts';
import { ActionButton } from '../../parts/actions.tsx';
import { focusTitle, Section } from '../../parts/page.tsx';
import { useRead } from '../../parts/use-load.ts';
import { ButtonLink, CopyButton, NewTab, RelativeTime, Time } from '../../parts/values.tsx';
import { hrefOf } from '../../routing/route.ts';
import { isOpen, replaceView } from '../../routing/use-route.ts';
import { MayChange } from '../../session/may-change.tsx';
import { useSession } from '../../session/session.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import { handshakeOf, isUntried } from './endpoint-facts.ts';
import { focusTestEvent } from './test-event.tsx';

/** A signing secret, which the API shows once. It stays until the reader says that it is stored. */
export function SecretCard({ unstored }: { readonly unstored: Unstored }) {
  const { webhookId, secret, owner, handshake } = unstored;
  const { announce } = useSession();
  const { forgetSecret } = useKept();
  const stored = () => {
    forgetSecret(webhookId);
    announce('The secret is no longer in this tab');
    focusTitle();
  };
  const copy = <CopyButton text={secret} what="signing secret" />;
  return (
    <Section title="Signing secret" kind="card secret" isNew action={copy}>
      <pre>{secret}</pre>
      <p>
        <strong>Store it now: it cannot be read again.</strong> It stays in the memory of this tab until you have stored
        it, and is lost when you reload or close the tab.
      </p>
      <p>
        {handshake === null
          ? 'The old secret stays valid for 24 hours, and every delivery is signed with both until then. '
          : `The endpoint answered its test event with ${handshake.response_status}, and receives every event from now on. `}
        <NewTab href="docs/receive-and-verify">How to verify an event</NewTab>
      </p>
      <p class="muted">
        Account: <bdi>{owner.label}</bdi>
      </p>
      <div class="actions">
        <button type="button" class="button primary" onClick={stored}>
          I have stored it
        </button>
        {handshake !== null && (
          <ButtonLink to={{ view: 'delivery', webhookId, deliveryId: handshake.id }}>See the test delivery</ButtonLink>
        )}
      </div>
    </Section>
  );
}

/** What to try after a registration. */
export function UntriedNote({ endpoint }: { readonly endpoint: Webhook }) {
  if (!isUntried(endpoint)) return null;
  return (
    <MayChange>
      <div class="note">
        <p>
          <strong>Next, send it an example event.</strong> A firewall of your own may let the test event pass and refuse
          events, whose body has links.
        </p>
        <button type="button" class="button" onClick={focusTestEvent}>
          Choose an example
        </button>
      </div>
    </MayChange>
  );
}

/** Since when events do not reach an active endpoint, and the way to what failed. */
export function FailingNote({ endpoint: { id, failing_since: since } }: { readonly endpoint: Webhook }) {
  if (since === null) return null;
  const failed = hrefOf({ view: 'deliveries', filters: { webhook: id, status: 'failed' } });
  return (
    <div class="note bad">
      <p>
        <strong>
          Deliveries have failed since <Time at={since} /> (<RelativeTime at={since} />
          ).
        </strong>
      </p>
      <p>
        A delivery fails with its last attempt, so the first attempts may have failed an hour before. Every new event is
        still attempted, and this note goes with the first one that your receiver acknowledges.{' '}
        <a href={failed}>See what failed</a>, correct the receiver, then resend it.
      </p>
    </div>
  );
}

/** Why an endpoint failed, and the way on: it receives nothing and holds a slot, so it is deleted and tried again. */
export function FailedNote({ endpoint }: { readonly endpoint: Webhook }) {
  const { api, announce, caller } = useSession();
  const { forgetSecret, setRegistering } = useKept();
  const { id, url, description } = endpoint;
  const { value } = useRead(id, (api, signal) => {
    const params = { path: { id }, query: handshakeOf(endpoint) };
    return api.GET('/v1/webhooks/{id}/deliveries', { params, signal });
  });
  const handshake = value?.items.at(-1);
  const remove = async () => {
    await deleteEndpoint(api, id);
    forgetSecret(id);
    announce('The failed endpoint was deleted');
    setRegistering({ ownerId: caller.customer_id, url, description, busy: false, failure: null });
    // This note may be gone by now: a refresh can read the deletion before its response is here.
    if (isOpen({ view: 'endpoint', webhookId: id })) replaceView({ view: 'new-endpoint' });
  };
  return (
    <div class="failed-note">
      <div class="note bad">
        <p>
          <strong>It did not acknowledge its test event, so it receives nothing.</strong>
        </p>
        {handshake?.error && <p>{handshake.error}</p>}
      </div>
      <p>
        This endpoint holds one of your {slots} slots until you delete it. Correct the receiver, then register the URL
        again.{' '}
        {handshake !== undefined && (
          <a href={hrefOf({ view: 'delivery', webhookId: id, deliveryId: handshake.id })}>See the attempt</a>
        )}{' '}
        <NewTab href="docs/troubleshooting">Troubleshooting</NewTab>
      </p>
      <MayChange>
        <ActionButton
          label="Delete it and try again"
          kind="primary"
          failed="Could not delete the failed endpoint"
          act={remove}
        />
      </MayChange>
    </div>
  );
}
