import { useEffect, useState } from 'preact/hooks';
import type { Webhook } from '../../api/records.ts';
import { localTime } from '../../parts/time-text.ts';
import type { Filters } from '../../routing/route.ts';
import {
  ages,
  eventTypes,
  searched,
  shortened,
  startOf,
  statuses,
  withKnown,
  withoutEmpty,
} from './filter-values.ts';

type Props = {
  readonly filters: Filters;
  /** For the choice of an endpoint; empty until they are loaded. */
  readonly endpoints: readonly Webhook[];
  readonly onChange: (filters: Filters) => void;
};

/** Narrows the list of deliveries. The filters are in the address, so a link has them. */
export function FilterBar({ filters, endpoints, onChange }: Props) {
  const set = (changed: { readonly [name in keyof Filters]?: string | undefined }) =>
    onChange(withoutEmpty({ ...filters, ...changed }));
  // The button leaves with the filters, so the focus moves on to the first of them.
  const clear = ({ currentTarget }: { currentTarget: HTMLButtonElement }) => {
    currentTarget.form?.querySelector('select')?.focus();
    onChange({});
  };
  return (
    <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <Choice
        label="Endpoint"
        value={filters.webhook ?? ''}
        options={endpointOptions(endpoints, filters.webhook)}
        onChange={(webhook) => set({ webhook })}
      />
      <Choice
        label="Status"
        value={filters.status ?? ''}
        options={[['', 'Any status'], ...withKnown(statuses, filters.status)]}
        onChange={(status) => set({ status })}
      />
      <Choice
        label="Type"
        value={filters.event_type ?? ''}
        options={[['', 'Any type'], ...withKnown(eventTypes, filters.event_type)]}
        onChange={(event_type) => set({ event_type })}
      />
      <AgeChoice
        after={filters.created_after}
        before={filters.created_before}
        onChange={(created_after) => set({ created_after, created_before: undefined })}
      />
      <Search
        filters={filters}
        onSearch={(found) => set({ event_id: undefined, run_id: undefined, ...found })}
      />
      {Object.keys(filters).length > 0 && (
        <button type="button" class="button" onClick={clear}>
          Clear
        </button>
      )}
    </form>
  );
}

type Options = readonly (readonly [value: string, label: string])[];

/** A deleted endpoint is in no list, but a link may name it. */
function endpointOptions(endpoints: readonly Webhook[], chosen: string | undefined): Options {
  const known = endpoints.map(({ id, url }) => [id, shortened(url)] as const);
  const other =
    chosen === undefined || endpoints.some(({ id }) => id === chosen) ? [] : [[chosen, chosen] as const];
  return [['', 'All endpoints'], ...known, ...other];
}

type ChoiceProps = {
  readonly label: string;
  readonly value: string;
  readonly options: Options;
  readonly onChange: (value: string) => void;
};

function Choice({ label, value, options, onChange }: ChoiceProps) {
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

type AgeProps = {
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly onChange: (after: string | undefined) => void;
};

/** The address has the moment itself, so that a link shows the same deliveries later. */
function AgeChoice({ after, before, onChange }: AgeProps) {
  const chosen =
    after === undefined
      ? []
      : [
          [
            after,
            `Since ${timeOf(after)}${before === undefined ? '' : `, until ${timeOf(before)}`}`,
          ] as const,
        ];
  return (
    <Choice
      label="Created"
      value={after ?? ''}
      options={[
        ['', 'Any time'],
        ...chosen,
        ...ages.map(({ hours, label }) => [String(hours), label] as const),
      ]}
      onChange={(value) => {
        if (value === '') onChange(undefined);
        else if (value !== after) onChange(startOf(Number(value), Date.now()));
      }}
    />
  );
}

/** A link may have a wrong time. */
function timeOf(text: string): string {
  return Number.isNaN(Date.parse(text)) ? text : localTime(text);
}

type SearchProps = {
  readonly filters: Filters;
  readonly onSearch: (found: Pick<Filters, 'event_id' | 'run_id'>) => void;
};

function Search({ filters, onSearch }: SearchProps) {
  const given = filters.event_id ?? filters.run_id ?? '';
  const [text, setText] = useState(given);
  useEffect(() => setText(given), [given]);
  const search = () => {
    if (text.trim() !== given) onSearch(searched(text));
  };
  return (
    <label class="field search">
      <span>Event or Run id</span>
      <input
        type="search"
        placeholder="evt_… or run_…"
        value={text}
        spellcheck={false}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onChange={search}
      />
    </label>
  );
}
