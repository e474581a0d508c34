import type { ComponentChildren } from 'preact';

type Props = {
  /** Name and value; a row whose value is `null` or empty is left out. */
  readonly rows: readonly (readonly [name: string, value: ComponentChildren])[];
};

/** Names with their values. */
export function Facts({ rows }: Props) {
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value !== null && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
