import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import type { EndpointDelivery } from '../../api/records.ts';
import { useKept } from '../../kept/kept.tsx';
import { readOlder, withOlder } from '../../parts/pages.ts';
import { hrefOf } from '../../routing/route.ts';
import { replaceView } from '../../routing/use-route.ts';
import { useSession } from '../../session/session.ts';
import { readDeliveries } from './read-deliveries.ts';

/** The way on in the list that led to a delivery; nothing when a link did. Back leads to the list, not through all. */
export function Neighbours({ deliveryId }: { readonly deliveryId: string }) {
  const around = useNeighbours(deliveryId);
  if (around === null) return null;
  return (
    <nav class="actions" aria-label="Deliveries of the list">
      <Neighbour label="Previous" delivery={around.previous} />
      <Neighbour label="Next" delivery={around.next} />
    </nav>
  );
}

type NeighbourProps = { readonly label: string; readonly delivery: EndpointDelivery | undefined };

function Neighbour({ label, delivery }: NeighbourProps) {
  if (delivery === undefined) {
    return (
      <button type="button" class="button" disabled>
        {label}
      </button>
    );
  }
  const to = { view: 'delivery', webhookId: delivery.webhook_id, deliveryId: delivery.id } as const;
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    replaceView(to);
  };
  return (
    <a class="button" href={hrefOf(to)} onClick={follow}>
      {label}
    </a>
  );
}

/** Reads the page that follows when the delivery is the last that the list has. */
function useNeighbours(deliveryId: string) {
  const { api, caller } = useSession();
  const { listed } = useKept();
  const [, renew] = useState(0);
  const seen = listed.current?.ownerId === caller.customer_id ? listed.current : null;
  const known = seen?.place?.known ?? null;
  const index = known?.items.findIndex(({ id }) => id === deliveryId) ?? -1;
  const cursor = known !== null && index === known.items.length - 1 ? known.next_cursor : null;
  useLayoutEffect(() => {
    if (seen?.place != null && index !== -1) seen.place.opened = deliveryId;
  }, [index]);
  useEffect(() => {
    if (seen?.place == null || known === null || cursor === null || index === -1) return;
    const { place, filters } = seen;
    const aborter = new AbortController();
    const add = async () => {
      const page = await readOlder(cursor, (from) =>
        resultOf(readDeliveries(api, filters, { cursor: from }, aborter.signal)),
      );
      place.known = withOlder(known, page);
      renew((count) => count + 1);
    };
    // The list itself says why it cannot be read.
    add().catch(() => {});
    return () => aborter.abort();
    // Not again for the cursor of what was read: a rare filter would be read until the request limit.
  }, [cursor !== null]);
  if (known === null || index === -1) return null;
  return { previous: known.items[index - 1], next: known.items[index + 1] };
}
