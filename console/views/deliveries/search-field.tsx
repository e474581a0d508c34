import { useEffect, useRef, useState } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import { failureOf, summaryOf } from '../../api/failure.ts';
import { TextField } from '../../parts/fields.tsx';
import type { Filters } from '../../routing/route.ts';
import { openView } from '../../routing/use-route.ts';
import { type Session, useSession } from '../../session/session.ts';
import { endpointOf, searched } from './search.ts';

type Props = {
  readonly filters: Filters;
  readonly onSearch: (found: Pick<Filters, 'event_id' | 'run_id'>) => void;
};

/** Finds by any id: events and Runs narrow the list, deliveries and endpoints open their view. */
export function SearchField({ filters, onSearch }: Props) {
  const { api, announce } = useSession();
  const given = filters.event_id ?? filters.run_id ?? '';
  const [text, setText] = useState(given);
  const [error, setError] = useState<string | null>(null);
  // Counts what the reader typed and left, so that a late answer to an earlier text opens nothing.
  const turn = useRef(0);
  useEffect(() => setText(given), [given]);
  useEffect(() => {
    return () => {
      turn.current += 1;
    };
  }, []);
  const openDelivery = async (deliveryId: string) => {
    const mine = turn.current;
    announce('Looking for the delivery');
    const found = await lookFor(api, deliveryId);
    if (turn.current !== mine) return;
    if ('error' in found) setError(found.error);
    else openView({ view: 'delivery', webhookId: found.webhookId, deliveryId });
  };
  const search = () => {
    if (text.trim() === given) return;
    const found = searched(text);
    if (found.kind === 'nothing') setError(found.error);
    else if (found.kind === 'filter') onSearch(found.filters);
    else if (found.kind === 'endpoint') openView({ view: 'endpoint', webhookId: found.id });
    else void openDelivery(found.id);
  };
  return (
    <TextField
      label="Find an id"
      kind="search"
      value={text}
      onText={(typed) => {
        turn.current += 1;
        setText(typed);
        setError(null);
      }}
      error={error}
      input={{
        type: 'search',
        placeholder: 'evt_… run_… whd_… whe_…',
        spellcheck: false,
        onChange: search,
      }}
    />
  );
}

type Found = { readonly webhookId: string } | { readonly error: string };

async function lookFor(api: Session['api'], deliveryId: string): Promise<Found> {
  try {
    const { items } = await resultOf(api.GET('/v1/webhooks'));
    const webhookId = await endpointOf(
      items.map(({ id }) => id),
      (id) => hasDelivery(api, { id, deliveryId }),
    );
    if (webhookId !== null) return { webhookId };
    return {
      error: 'None of your endpoints has this delivery. It may be one of an endpoint that was deleted.',
    };
  } catch (thrown) {
    return { error: summaryOf(failureOf(thrown)) };
  }
}

type Path = { readonly id: string; readonly deliveryId: string };

async function hasDelivery(api: Session['api'], path: Path): Promise<boolean> {
  try {
    await resultOf(api.GET('/v1/webhooks/{id}/deliveries/{deliveryId}', { params: { path } }));
    return true;
  } catch (thrown) {
    const failure = failureOf(thrown);
    if (failure.kind === 'problem' && failure.status === 404) return false;
    throw thrown;
  }
}
