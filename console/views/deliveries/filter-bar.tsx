import { deliveryStatusValues, eventTypeValues } from '../../../packages/api-client/schema.ts';
import type { Webhook } from '../../api/records.ts';
import { Choice, type Options } from '../../parts/fields.tsx';
import { localTime } from '../../parts/texts.ts';
import type { Filters } from '../../routing/route.ts';
import {
  ages,
  capitalized,
  dayNameOf,
  dayOf,
  days,
  shortened,
  startOf,
  withKnown,
  withoutEmpty,
} from './filter-values.ts';
import { SearchField } from './search-field.tsx';

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
        options={[['', 'Any status'], ...statusOptions(filters.status)]}
        onChange={(status) => set({ status })}
      />
      <Choice
        label="Type"
        value={filters.event_type ?? ''}
        options={[['', 'Any type'], ...withKnown(eventTypeValues, filters.event_type)]}
        onChange={(event_type) => set({ event_type })}
      />
      <RangeChoice
        range={filters}
        onChange={(range) => set({ created_after: undefined, created_before: undefined, ...range })}
      />
      <SearchField
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

/** A deleted endpoint is in no list, but a link may name it. */
function endpointOptions(endpoints: readonly Webhook[], chosen: string | undefined): Options {
  const known = endpoints.map(({ id, url }) => [id, shortened(url)] as const);
  const other =
    chosen === undefined || endpoints.some(({ id }) => id === chosen) ? [] : [[chosen, chosen] as const];
  return [['', 'All endpoints'], ...known, ...other];
}

function statusOptions(chosen: string | undefined): Options {
  return withKnown(deliveryStatusValues, chosen).map(([value, label]) => [value, capitalized(label)]);
}

type Range = Pick<Filters, 'created_after' | 'created_before'>;
type RangeProps = { readonly range: Range; readonly onChange: (range: Range) => void };

const chosen = 'chosen';

/** The address has the moments themselves, so that a link shows the same deliveries later. */
function RangeChoice({ range, onChange }: RangeProps) {
  const { created_after: after, created_before: before } = range;
  const isAny = after === undefined && before === undefined;
  const day = dayNameOf(range, Date.now());
  const label = [after && `since ${timeOf(after)}`, before && `until ${timeOf(before)}`].filter(Boolean);
  return (
    <Choice
      label="Created"
      value={isAny ? '' : (day ?? chosen)}
      options={[
        ['', 'Any time'],
        ...(isAny || day !== null ? [] : [[chosen, label.join(', ')] as const]),
        ...ages.map(({ hours, label }) => [String(hours), label] as const),
        ...days.map(({ label }) => [label, label] as const),
      ]}
      onChange={(value) => {
        if (value === chosen) return;
        const named = days.find((known) => known.label === value);
        if (value === '') onChange({});
        else if (named !== undefined) onChange(dayOf(named.ago, Date.now()));
        else onChange({ created_after: startOf(Number(value), Date.now()) });
      }}
    />
  );
}

/** A link may have a wrong time. */
function timeOf(text: string): string {
  return Number.isNaN(Date.parse(text)) ? text : localTime(text);
}
