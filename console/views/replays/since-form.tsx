import { useState } from 'preact/hooks';
import { ages, startOf } from '../deliveries/filter-values.ts';
import { startTyped } from './replay-text.ts';

type Props = {
  readonly busy: boolean;
  /** @param since ISO 8601 */
  readonly onChosen: (since: string) => void;
  /** Called when another time is chosen: what was counted is no longer that of the form. */
  readonly onChanged: () => void;
};

const choices = [...ages, { hours: 24 * 30, label: 'Last 30 days' }];
const own = 'own';

/** Asks since when. */
export function SinceForm({ busy, onChosen, onChanged }: Props) {
  const [choice, setChoice] = useState('24');
  const [typed, setTyped] = useState('');
  const [isWrong, setWrong] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    if (busy) return;
    const now = Date.now();
    const since = choice === own ? startTyped(typed, now) : startOf(Number(choice), now);
    setWrong(since === null);
    if (since !== null) onChosen(since);
  };
  return (
    <form class="card" onSubmit={submit}>
      <p>
        Every delivery that has failed is resent as a new delivery, with the same event id and the same bytes.
        Deliveries that were already resent are skipped.
      </p>
      <label class="field">
        <span>Failed deliveries that were created</span>
        <select
          value={choice}
          onChange={({ currentTarget }) => {
            setChoice(currentTarget.value);
            onChanged();
          }}
        >
          {choices.map(({ hours, label }) => (
            <option key={hours} value={String(hours)}>
              in the {label.toLowerCase()}
            </option>
          ))}
          <option value={own}>Custom time…</option>
        </select>
      </label>
      {choice === own && (
        <label class="field">
          <span>Since (in your time zone)</span>
          <input
            type="datetime-local"
            value={typed}
            required
            aria-invalid={isWrong}
            aria-describedby={isWrong ? 'since-wrong' : undefined}
            onInput={({ currentTarget }) => {
              setTyped(currentTarget.value);
              onChanged();
            }}
          />
        </label>
      )}
      {isWrong && (
        <p class="error" id="since-wrong" role="alert">
          Choose a date and a time in the past
        </p>
      )}
      <button type="submit" class="button" aria-disabled={busy}>
        {busy ? 'Counting…' : 'Count them'}
      </button>
    </form>
  );
}
