import type { InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';
import { Marked } from './values.tsx';

type TextProps = {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  /** What is wrong with the value; `null` for nothing. */
  readonly error: string | null;
  readonly kind?: string;
  readonly input?: InputHTMLAttributes;
};

/** A field for text, with what is wrong with it below. */
export function TextField({ label, value, onText, error, kind = '', input = {} }: TextProps) {
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

type LongTextProps = Pick<TextProps, 'label' | 'value' | 'onText'> & { readonly placeholder: string };

/** A field for text of several lines, taken as it is. */
export function LongTextField({ label, value, onText, placeholder }: LongTextProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <textarea
        rows={6}
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={value}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    </label>
  );
}

export type Options = readonly (readonly [value: string, label: string])[];

type ChoiceProps = {
  readonly label: string;
  readonly value: string;
  readonly options: Options;
  readonly onChange: (value: string) => void;
};

/** A field with a list to choose from. */
export function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
