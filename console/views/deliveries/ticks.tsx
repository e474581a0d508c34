import { useState } from 'preact/hooks';
import { ActionButton } from '../../parts/actions.tsx';
import { countOf } from '../../parts/texts.ts';
import { useStartReplay } from '../replays/start-replay.ts';

/** A bulk replay takes at most this many deliveries by their ids. */
const mostTicked = 100;

/** The failed deliveries of a list that the reader wants to resend. */
export type Ticks = ReturnType<typeof useTicks>;

/**
 * @param list another list begins without ticks
 * @param onTick called before what is ticked changes
 */
export function useTicks(list: string, onTick: () => void) {
  const [ticked, setTicked] = useState<{ readonly list: string; readonly ids: readonly string[] }>({
    list,
    ids: [],
  });
  const ids = ticked.list === list ? ticked.ids : [];
  const toggle = (id: string) => {
    onTick();
    setTicked({ list, ids: ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id] });
  };
  const clear = () => setTicked({ list, ids: [] });
  return { ids, toggle, clear, isFull: ids.length >= mostTicked };
}

type TickProps = { readonly ticks: Ticks; readonly id: string; readonly label: string };

export function Tick({ ticks, id, label }: TickProps) {
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
