import { resultOf } from '../../api/client.ts';
import type { Webhook } from '../../api/records.ts';
import { slots } from '../../api/service-facts.ts';
import { useKept } from '../../kept/kept.tsx';
import { FailureCard } from '../../parts/failure-card.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useLoad } from '../../parts/use-load.ts';
import { hrefOf } from '../../routing/route.ts';
import { isOpen, replaceView } from '../../routing/use-route.ts';
import { useSession } from '../../session/session.ts';
import { handshakeOf } from './handshake.ts';

/** Why an endpoint failed, and the way on: it receives nothing and holds a slot, so it is deleted and tried again. */
export function FailedNote({ endpoint }: { readonly endpoint: Webhook }) {
  const { api, announce, caller } = useSession();
  const { setRegistering } = useKept();
  const { id, url, description } = endpoint;
  const { result } = useLoad(id, (signal) =>
    resultOf(
      api.GET('/v1/webhooks/{id}/deliveries', {
        params: { path: { id }, query: handshakeOf(endpoint) },
        signal,
      }),
    ),
  );
  const handshake = result.state === 'ready' ? (result.value.items.at(-1) ?? null) : null;
  const { busy, failure, run } = useAction(async () => {
    await resultOf(api.DELETE('/v1/webhooks/{id}', { params: { path: { id } } }));
    announce('The failed endpoint was deleted');
    const draft = { url, description };
    setRegistering({ ownerId: caller.customer_id, draft, busy: false, failure: null });
    // This note may be gone by now: a refresh can read the deletion before its response is here.
    if (isOpen({ view: 'endpoint', webhookId: id })) replaceView({ view: 'new-endpoint' });
  });
  return (
    <div class="failed-note">
      <div class="note bad">
        <p>
          <strong>It did not acknowledge its test event, so it receives nothing.</strong>
        </p>
        {handshake?.error && <p>{handshake.error}</p>}
      </div>
      <p>
        This endpoint holds one of your {slots} slots until you delete it. Correct the receiver, then register
        the URL again.{' '}
        {handshake !== null && (
          <a href={hrefOf({ view: 'delivery', webhookId: id, deliveryId: handshake.id })}>See the attempt</a>
        )}{' '}
        <a href="docs/troubleshooting" target="_blank" rel="noreferrer">
          Troubleshooting
        </a>
      </p>
      {failure !== null && <FailureCard failure={failure} what="Could not delete the failed endpoint" />}
      <button type="button" class="button primary" aria-disabled={busy} onClick={() => void run()}>
        {busy ? 'One moment…' : 'Delete it and try again'}
      </button>
    </div>
  );
}
