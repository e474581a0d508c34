import type { Delivery, EndpointDelivery } from '../../api/records.ts';

/** When the next attempt of any is planned, from now on; `null` when none is. @param now epoch milliseconds */
export function firstDue(items: readonly EndpointDelivery[], now: number): string | null {
  const planned = items.flatMap(({ next_attempt_at: next }) => (next === null ? [] : [next]));
  const times = planned.filter((next) => Date.parse(next) > now);
  return times.toSorted((one, other) => Date.parse(one) - Date.parse(other))[0] ?? null;
}

/** The status of a delivery for people: a pending one of which an attempt has failed is `retrying`. */
export function shownStatus({ status, outcome }: Pick<Delivery, 'status' | 'outcome'>) {
  return status === 'pending' && outcome !== null ? 'retrying' : status;
}

/** Words for results without a response. An outcome that this version does not know is shown as it is. */
const causes: Readonly<Record<string, string>> = {
  timed_out: 'timeout',
  dns_failed: 'DNS',
  connection_failed: 'connection',
  tls_failed: 'TLS',
  address_refused: 'address',
  invalid_response: 'response',
};

/** What the last attempt met, in a word: `503`, `timeout`, `DNS`. Empty before the first one has ended. */
export function causeOf({ outcome, response_status: status }: Pick<Delivery, 'outcome' | 'response_status'>): string {
  return status !== null ? String(status) : outcome === null ? '' : (causes[outcome] ?? outcome);
}

/** The kind of an id and its end, which differs where the beginning is a time: `run_…8F3K2Q`. */
export function shortId(id: string): string {
  return id.length <= 14 ? id : `${id.slice(0, 4)}…${id.slice(-6)}`;
}

const mostReasons = 3;

/** Why deliveries failed, the most frequent first. `others`: deliveries with further reasons. */
export function errorsOf(deliveries: readonly Pick<Delivery, 'error' | 'outcome' | 'response_status' | 'status'>[]) {
  const found = new Map<string, { readonly error: string; readonly cause: string; readonly count: number }>();
  for (const { error, ...delivery } of deliveries) {
    if (error === null) continue;
    const count = (found.get(error)?.count ?? 0) + 1;
    found.set(error, { error, cause: causeOf(delivery) || delivery.status, count });
  }
  const reasons = [...found.values()].sort((one, other) => other.count - one.count);
  const others = reasons.slice(mostReasons).reduce((sum, { count }) => sum + count, 0);
  return { reasons: reasons.slice(0, mostReasons), others };
}

/** The test event of a registration: neither a replay of it nor an example. */
export function isHandshake(delivery: Pick<Delivery, 'event_type' | 'example_type' | 'replay_of'>): boolean {
  const { event_type, example_type, replay_of } = delivery;
  return event_type === 'webhook.test' && example_type === null && replay_of === null;
}

/** Statuses with which firewalls and filters refuse a body. */
const firewallStatuses: readonly (number | null)[] = [403, 406, 415];

/** Whether a firewall may have refused the body: that of a handshake has nothing to refuse. */
export function mayBeFirewall(
  delivery: Parameters<typeof isHandshake>[0] & Pick<Delivery, 'response_status'>,
): boolean {
  return firewallStatuses.includes(delivery.response_status) && !isHandshake(delivery);
}

/** A body with one member on each line; `null` when it is not JSON or has nothing to format. */
export function formattedJson(text: string): string | null {
  try {
    const formatted = JSON.stringify(JSON.parse(text), null, 2);
    return formatted === text ? null : formatted;
  } catch {
    return null;
  }
}

/** The name of the header with `t` and `v1`, which depends on the name of the deployment. */
export function signatureHeader(headers: readonly { readonly name: string }[]): string | null {
  return headers.find(({ name }) => /^x-.+-signature$/i.test(name))?.name ?? null;
}
