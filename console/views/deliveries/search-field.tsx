import { useEffect, useRef, useState } from 'preact/hooks';
import { type Api, resultOf } from '../../api/client.ts';
import { failureOf, ownFailure, summaryOf } from '../../api/failure.ts';
import { TextField } from '../../parts/fields.tsx';
import type { Filters } from '../../routing/route.ts';
import { openView } from '../../routing/use-route.ts';
import { useSession } from '../../session/session.ts';
import { endpointOf, searched } from './search.ts';

type Props = {
  readonly filters: Filters;
  readonly onSearch: (found: Pick<Filters, 'event_id' | 'run_id'>) => void;
};

const input = { type: 'search', placeholder: 'evt_… run_… whd_… whe_…', spellcheck: false } as const;

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
    try {
      const webhookId = await endpointWith(api, deliveryId);
      if (turn.current === mine) openView({ view: 'delivery', webhookId, deliveryId });
    } catch (thrown) {
      if (turn.current === mine) setError(summaryOf(failureOf(thrown)));
    }
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
        ...input,
        onChange: search,
        // What has failed, for example because the API did not answer, is no change.
        onKeyDown: ({ key }) => error !== null && key === 'Enter' && search(),
      }}
    />
  );
}

/** The endpoint of a delivery. @throws RequestFailed */
async function endpointWith(api: Api, deliveryId: string): Promise<string> {
  const { items } = await resultOf(api.GET('/v1/webhooks'));
  const has = async (id: string) => {
    const params = { path: { id, deliveryId } };
    const request = api.GET('/v1/webhooks/{id}/deliveries/{deliveryId}', { params });
    if ((await request).response.status === 404) return false;
    await resultOf(request);
    return true;
  };
  const webhookIds = items.map(({ id }) => id);
  const webhookId = await endpointOf(webhookIds, has);
  if (webhookId !== null) return webhookId;
  throw ownFailure('None of your endpoints has this delivery. It may be one of an endpoint that was deleted.');
}
