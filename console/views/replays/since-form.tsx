import { useState } from 'preact/hooks';
import { ages } from '../deliveries/filter-values.ts';

type Props = { readonly busy: boolean; readonly onChosen: (hours: number) => void };

/** Asks since when. */
export function SinceForm({ busy, onChosen }: Props) {
  const [hours, setHours] = useState<number>(24);
  const submit = (event: Event) => {
    event.preventDefault();
    onChosen(hours);
  };
  return (
    <form class="card" onSubmit={submit}>
      <p>
        Every delivery that has failed is sent again as a new delivery, with the same event id and the same
        bytes. What has been sent again before is left out.
      </p>
      <label class="field">
        <span>Failed deliveries that were created in the</span>
        <select value={String(hours)} onChange={({ currentTarget }) => setHours(Number(currentTarget.value))}>
          {[...ages, { hours: 24 * 30, label: 'Last 30 days' }].map(({ hours: value, label }) => (
            <option key={value} value={String(value)}>
              {label.toLowerCase()}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="button" disabled={busy}>
        {busy ? 'Counting…' : 'Count them'}
      </button>
    </form>
  );
}
