import { useState } from 'preact/hooks';
import { Choice, type Options } from '../../parts/choice.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { ages, startOf } from '../deliveries/filter-values.ts';
import { startTyped } from './replay-text.ts';

type Props = {
  readonly busy: boolean;
  /** @param since ISO 8601 */
  readonly onChosen: (since: string) => void;
  /** Called when another time is chosen: what was counted is no longer that of the form. */
  readonly onChanged: () => void;
};

const own = 'own';

const choices: Options = [
  ...[...ages, { hours: 24 * 30, label: 'Last 30 days' }].map(
    ({ hours, label }) => [String(hours), `in the ${label.toLowerCase()}`] as const,
  ),
  [own, 'Custom time…'],
];

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
      <Choice
        label="Failed deliveries that were created"
        value={choice}
        options={choices}
        onChange={(chosen) => {
          setChoice(chosen);
          onChanged();
        }}
      />
      {choice === own && (
        <TextField
          label="Since (in your time zone)"
          value={typed}
          onText={(text) => {
            setTyped(text);
            onChanged();
          }}
          error={isWrong ? 'Choose a date and a time in the past' : null}
          input={{ type: 'datetime-local', required: true }}
        />
      )}
      <button type="submit" class="button" aria-disabled={busy}>
        {busy ? 'Counting…' : 'Count them'}
      </button>
    </form>
  );
}
