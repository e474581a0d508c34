import type { InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';
import { Marked } from './marked.tsx';

type Props = {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  /** What is wrong with the value; `null` for nothing. */
  readonly error: string | null;
  /** More classes of the field. */
  readonly kind?: string;
  /** Attributes of the input. */
  readonly input?: InputHTMLAttributes;
};

/** A field for text, with what is wrong with it below. */
export function TextField({ label, value, onText, error, kind = '', input = {} }: Props) {
  const id = useId();
  return (
    <div class={`field ${kind}`}>
      <label for={id}>{label}</label>
      <input
        autocomplete="off"
        {...input}
        id={id}
        value={value}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
        aria-invalid={error !== null}
        aria-describedby={error === null ? undefined : `${id}-error`}
      />
      {error !== null && (
        <p class="error" id={`${id}-error`} role="alert">
          <Marked text={error} />
        </p>
      )}
    </div>
  );
}
