import { type Filters, withoutEmpty } from '../../routing/route.ts';

type FoundFilters = Pick<Filters, 'event_id' | 'run_id'>;

/** What a text in the search is: a filter of the list, a view of its own, or nothing that can be found. */
export type Searched =
  | { readonly kind: 'filter'; readonly filters: FoundFilters }
  | { readonly kind: 'delivery'; readonly id: string }
  | { readonly kind: 'endpoint'; readonly id: string }
  | { readonly kind: 'nothing'; readonly error: string };

export const searchedIds =
  'Search takes the id of an event (`evt_…`), a Run (`run_…`), a delivery (`whd_…`) or an endpoint (`whe_…`).';

/** Ids of this service have 26 characters after the prefix; those of Runs come from the platform. */
export function searched(text: string): Searched {
  const id = text.trim();
  if (id === '') return { kind: 'filter', filters: {} };
  const [prefix = ''] = /^[a-z]+_/.exec(id) ?? [];
  if (/^run_[\w-]+$/.test(id)) return { kind: 'filter', filters: { run_id: id } };
  if (!['evt_', 'whd_', 'whe_'].includes(prefix)) return { kind: 'nothing', error: searchedIds };
  if (!/^[a-z]+_[0-9A-Z]{26}$/.test(id)) {
    const error = `This id is not whole: \`${prefix}\` is followed by 26 digits and capital letters.`;
    return { kind: 'nothing', error };
  }
  if (prefix === 'evt_') return { kind: 'filter', filters: { event_id: id } };
  return { kind: prefix === 'whd_' ? 'delivery' : 'endpoint', id };
}

/** An id is found whatever the filters were, but for the endpoint: deliveries of a deleted one are in its list only. */
export function filtersOf(filters: Filters, found: FoundFilters): Filters {
  const isEmpty = Object.keys(found).length === 0;
  const rest = isEmpty ? { ...filters, event_id: '', run_id: '' } : { webhook: filters.webhook };
  return withoutEmpty({ ...rest, ...found });
}

/**
 * The endpoint of a delivery: the API reads a delivery by its endpoint only, so all are asked at once.
 *
 * @param has whether the delivery is one of this endpoint
 * @returns `null` when it is of none @throws what `has` throws, when no endpoint has it
 */
export async function endpointOf(
  webhookIds: readonly string[],
  has: (webhookId: string) => Promise<boolean>,
): Promise<string | null> {
  const answers = await Promise.allSettled(webhookIds.map(has));
  const found = webhookIds.find((_id, index) => {
    const answer = answers[index];
    return answer?.status === 'fulfilled' && answer.value;
  });
  if (found !== undefined) return found;
  const failed = answers.find((answer) => answer.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return null;
}
