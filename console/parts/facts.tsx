import type { ComponentChildren } from 'preact';

type Props = {
  /** Values by their names; a row whose value is `null` or empty is left out. */
  readonly rows: Readonly<Record<string, ComponentChildren>>;
};

/** Names with their values. */
export function Facts({ rows }: Props) {
  return (
    <dl class="facts">
      {Object.entries(rows)
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
