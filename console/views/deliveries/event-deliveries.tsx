import { useEffect, useRef } from 'preact/hooks';
import type { DeliveryDetail } from '../../api/records.ts';
import { Rows } from '../../parts/lists.tsx';
import { Section } from '../../parts/page.tsx';
import { useRead } from '../../parts/use-load.ts';
import { RelativeTime } from '../../parts/values.tsx';

type Props = { readonly delivery: DeliveryDetail; readonly webhookId: string };

/** The first delivery of an event and its resends, newest first; nothing while there is only one. */
export function EventDeliveries({ delivery, webhookId }: Props) {
  const { event_id, status } = delivery;
  const { value, reload } = useRead(`${webhookId}/${event_id}`, (api, signal) => {
    const params = { path: { id: webhookId }, query: { event_id } };
    return api.GET('/v1/webhooks/{id}/deliveries', { params, signal });
  });
  const shown = useRef(status);
  useEffect(() => {
    if (shown.current !== status) void reload();
    shown.current = status;
  }, [status, reload]);
  const items = value?.items ?? [];
  if (items.length < 2) return null;
  return (
    <Section title="Deliveries of this event">
      <Rows
        items={items}
        current={delivery.id}
        row={({ id, status, replay_of: original, created_at: created }) => ({
          status,
          what: (
            <>
              <span>
                {original === null ? 'First delivery' : 'Resend'}
                {id === delivery.id && ', this one'}
              </span>
              <code class="muted text">{id}</code>
            </>
          ),
          when: <RelativeTime at={created} />,
          to: { view: 'delivery', webhookId, deliveryId: id },
        })}
      />
    </Section>
  );
}
