import type { EndpointDelivery } from '../../api/records.ts';
import { ZoneButton } from '../../parts/zone.tsx';
import type { Filters } from '../../routing/route.ts';
import { errorsOf } from './delivery-facts.ts';
import { Export } from './export.tsx';

type Props = { readonly deliveries: readonly EndpointDelivery[]; readonly filters: Filters };

/** Why the deliveries of a list failed, each reason once, and what can be done with the list. */
export function ListHead({ deliveries, filters }: Props) {
  const { reasons, others } = errorsOf(deliveries);
  return (
    <div class="list-head">
      <ul class="reasons small" aria-label="Why deliveries of this list failed">
        {reasons.map(({ error, cause, count }) => (
          <li key={error}>
            <strong>
              {cause} × {count}
            </strong>{' '}
            <bdi class="muted" title={error}>
              {error}
            </bdi>
          </li>
        ))}
        {others > 0 && <li class="muted">and {others} for other reasons</li>}
      </ul>
      <span class="tools">
        <Export filters={filters} />
        <ZoneButton />
      </span>
    </div>
  );
}
