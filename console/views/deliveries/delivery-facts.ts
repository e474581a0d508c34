import type { Delivery, EndpointDelivery } from '../../api/records.ts';

/** When the next attempt of any is planned, from now on; `null` when none is. @param now epoch milliseconds */
export function firstDue(items: readonly EndpointDelivery[], now: number): string | null {
  const planned = items.flatMap(({ next_attempt_at: next }) => (next === null ? [] : [next]));
  const times = planned.filter((next) => Date.parse(next) > now);
  return times.toSorted((one, other) => Date.parse(one) - Date.parse(other))[0] ?? null;
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
