import { useId, useState } from 'preact/hooks';
import type { Webhook } from '../../api/records.ts';
import { deliveryStatuses, eventTypes, responseClasses } from '../../api/service-facts.ts';
import { Choice } from '../../parts/fields.tsx';
import { localTime } from '../../parts/texts.ts';
import { type Filters, withoutEmpty } from '../../routing/route.ts';
import { capitalized, dayNameOf, type Range, ranges, responseName, shortened, withKnown } from './filter-values.ts';
import { filtersOf } from './search.ts';
import { SearchField } from './search-field.tsx';

type Props = {
  readonly filters: Filters;
  /** For the choice of an endpoint; empty until they are loaded. */
  readonly endpoints: readonly Webhook[];
  readonly onChange: (filters: Filters) => void;
};

/** Narrows the list of deliveries. The filters are in the address, so a link has them. On a phone, a button opens them. */
export function FilterBar(props: Props) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const count = Object.keys(props.filters).length;
  return (
    <>
      <button
        type="button"
        class="button phone"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        Filters{count > 0 && ` (${count})`}
      </button>
      <form
        id={id}
        class={`filters ${isOpen ? 'open' : ''}`}
        aria-label="Filters"
        onSubmit={(event) => event.preventDefault()}
      >
        <FilterFields {...props} />
      </form>
    </>
  );
}

function FilterFields({ filters, endpoints, onChange }: Props) {
  const set = (changed: { readonly [name in keyof Filters]?: string | undefined }) =>
    onChange(withoutEmpty({ ...filters, ...changed }));
  // The button leaves with the filters, so the focus moves on to the first of them.
  const clear = ({ currentTarget }: { currentTarget: HTMLButtonElement }) => {
    currentTarget.form?.querySelector('select')?.focus();
    onChange({});
  };
  const { webhook, status, event_type: type, response_status: response } = filters;
  const urls = new Map(endpoints.map(({ id, url }) => [id, shortened(url)]));
  const choices = [
    ['webhook', 'Endpoint', 'All endpoints', withKnown([...urls.keys()], webhook, (id) => urls.get(id) ?? id)],
    ['status', 'Status', 'Any status', withKnown(deliveryStatuses, status, capitalized)],
    ['event_type', 'Type', 'Any type', withKnown(eventTypes, type)],
    ['response_status', 'Response', 'Any response', withKnown(responseClasses, response, responseName)],
  ] as const;
  return (
    <>
      {choices.map(([name, label, any, options]) => (
        <Choice
          key={name}
          label={label}
          value={filters[name] ?? ''}
          options={[['', any], ...options]}
          onChange={(value) => set({ [name]: value })}
        />
      ))}
      <RangeChoice
        range={filters}
        onChange={(range) => set({ created_after: undefined, created_before: undefined, ...range })}
      />
      <SearchField filters={filters} onSearch={(found) => onChange(filtersOf(filters, found))} />
      {Object.keys(filters).length > 0 && (
        <button type="button" class="button" onClick={clear}>
          Clear
        </button>
      )}
    </>
  );
}

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
        ...ranges.map(({ label }) => [label, label] as const),
      ]}
      onChange={(value) => {
        const named = ranges.find((known) => known.label === value);
        if (value !== chosen) onChange(named?.at(Date.now()) ?? {});
      }}
    />
  );
}

/** A link may have a wrong time. */
function timeOf(text: string): string {
  return Number.isNaN(Date.parse(text)) ? text : localTime(text);
}
