import { resultOf } from '../../api/client.ts';
import type { Registration } from '../../api/records.ts';
import { Badge } from '../../parts/badge.tsx';
import { FailureCard } from '../../parts/failure-card.tsx';
import { FocusedHeading } from '../../parts/focused-heading.tsx';
import { useAction } from '../../parts/use-action.ts';
import { hrefOf } from '../../routing/route.ts';
import { useSession } from '../../session/session.ts';
import { SecretCard } from './secret-card.tsx';

type Props = {
  readonly registration: Registration;
  /** Back to the form, whose values are still there. */
  readonly onAgain: () => void;
};

/** The result of a registration. */
export function Registered({ registration, onAgain }: Props) {
  const { webhook, secret, test_delivery: handshake } = registration;
  const delivery = { view: 'delivery', webhookId: webhook.id, deliveryId: handshake.id } as const;
  if (webhook.status !== 'active') return <Refused registration={registration} onAgain={onAgain} />;
  return (
    <>
      <section class="card">
        <p class="summary">
          <Badge status={webhook.status} /> <strong>The endpoint answered the test event</strong>
          <span>with {handshake.response_status}</span>
        </p>
        <p>
          Every event is sent to <bdi class="url">{webhook.url}</bdi> from now on.
        </p>
      </section>
      <SecretCard secret={secret}>
        Verify every event with it (
        <a href="docs/receive-and-verify" target="_blank" rel="noreferrer">
          how, in eight languages
        </a>
        ).
      </SecretCard>
      <div class="actions">
        <a class="button" href={hrefOf({ view: 'endpoint', webhookId: webhook.id })}>
          Go to the endpoint
        </a>
        <a class="button" href={hrefOf(delivery)}>
          See the test delivery
        </a>
      </div>
    </>
  );
}

/** A failed endpoint receives nothing and holds a slot, so the way on is to delete it and to try again. */
function Refused({ registration: { webhook, test_delivery: handshake }, onAgain }: Props) {
  const { api, announce } = useSession();
  const { busy, failure, run } = useAction(async () => {
    await resultOf(api.DELETE('/v1/webhooks/{id}', { params: { path: { id: webhook.id } } }));
    announce('The failed endpoint was deleted');
  }, onAgain);
  return (
    <section class="card failure">
      <div class="summary">
        <Badge status={webhook.status} />
        <FocusedHeading>The endpoint did not acknowledge the test event</FocusedHeading>
      </div>
      {handshake.error !== null && <p class="note bad">{handshake.error}</p>}
      <p>
        It receives nothing and holds one of your slots. Correct the receiver, delete the failed endpoint, and
        register the URL again.{' '}
        <a href={hrefOf({ view: 'delivery', webhookId: webhook.id, deliveryId: handshake.id })}>
          See the attempt
        </a>
        {' · '}
        <a href="docs/troubleshooting" target="_blank" rel="noreferrer">
          Troubleshooting
        </a>
      </p>
      {failure !== null && <FailureCard failure={failure} what="Could not delete the failed endpoint" />}
      <button type="button" class="button primary" aria-disabled={busy} onClick={() => void run()}>
        {busy ? 'One moment…' : 'Delete it and try again'}
      </button>
    </section>
  );
}
