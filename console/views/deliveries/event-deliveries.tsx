import { useEffect, useRef } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import type { DeliveryDetail } from '../../api/records.ts';
import { Badge } from '../../parts/badge.tsx';
import { RelativeTime } from '../../parts/time.tsx';
import { useLoad } from '../../parts/use-load.ts';
import { hrefOf } from '../../routing/route.ts';
import { useSession } from '../../session/session.ts';

type Props = { readonly delivery: DeliveryDetail; readonly webhookId: string };

/** The first delivery of an event and its replays, newest first; nothing while there is only one. */
export function EventDeliveries({ delivery, webhookId }: Props) {
  const { api } = useSession();
  const { event_id, status } = delivery;
  const { result, reload } = useLoad(`${webhookId}/${event_id}`, (signal) =>
    resultOf(
      api.GET('/v1/webhooks/{id}/deliveries', {
        params: { path: { id: webhookId }, query: { event_id } },
        signal,
      }),
    ),
  );
  const shown = useRef(status);
  useEffect(() => {
    if (shown.current !== status) void reload();
    shown.current = status;
  }, [status, reload]);
  const items = result.state === 'ready' ? result.value.items : [];
  if (items.length < 2) return null;
  return (
    <section aria-labelledby="chain-title">
      <h2 id="chain-title">Deliveries of this event</h2>
      <ul class="rows">
        {items.map(({ id, status: own, replay_of: original, created_at: created }) => (
          <li key={id}>
            <a
              class="row"
              href={hrefOf({ view: 'delivery', webhookId, deliveryId: id })}
              aria-current={id === delivery.id ? 'page' : undefined}
            >
              <Badge status={own} />
              <span class="what">
                <span>
                  {original === null ? 'First delivery' : 'Replay'}
                  {id === delivery.id && ', this one'}
                </span>
                <code class="muted text">{id}</code>
              </span>
              <span class="muted when">
                <RelativeTime at={created} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
