import { useEffect, useState } from 'preact/hooks';
import type { EndpointDelivery } from '../../api/records.ts';
import { ActionButton } from '../../parts/actions.tsx';
import { countOf } from '../replays/replay-text.ts';
import { useStartReplay } from '../replays/start-replay.ts';

/** A bulk replay takes at most this many deliveries by their ids. */
const mostTicked = 100;

/** The failed deliveries of a list that the reader wants to resend. */
export type Ticks = ReturnType<typeof useTicks>;

/** @param list another list begins without ticks */
export function useTicks(list: string) {
  const [ids, setIds] = useState<readonly string[]>([]);
  useEffect(() => setIds([]), [list]);
  const toggle = (id: string) =>
    setIds((now) => (now.includes(id) ? now.filter((each) => each !== id) : [...now, id]));
  return { ids, toggle, isFull: ids.length >= mostTicked };
}

type TickProps = { readonly ticks: Ticks; readonly delivery: EndpointDelivery; readonly label: string };

export function Tick({ ticks, delivery: { id }, label }: TickProps) {
  const isTicked = ticks.ids.includes(id);
  return (
    <input
      type="checkbox"
      class="tick"
      aria-label={`Resend ${label}`}
      checked={isTicked}
      disabled={ticks.isFull && !isTicked}
      onChange={() => ticks.toggle(id)}
    />
  );
}

/** Resends what is ticked; stays in sight while the list is. */
export function ResendTicked({ ticks, webhookId }: { readonly ticks: Ticks; readonly webhookId: string }) {
  const start = useStartReplay(webhookId);
  if (ticks.ids.length === 0) return null;
  return (
    <div class="ticked">
      <ActionButton
        label={`Resend ${countOf(ticks.ids.length)}`}
        kind="primary"
        failed="Could not begin"
        act={() => start({ status: 'failed', delivery_ids: [...ticks.ids] })}
      />
    </div>
  );
}
