import type { EndpointDelivery } from '../../api/records.ts';
import { clockTime, localTime, relativeTime } from '../../parts/texts.ts';
import { Badge, Countdown, useNow } from '../../parts/values.tsx';
import { hrefOf } from '../../routing/route.ts';
import { causeOf, shortId, shownStatus } from './delivery-facts.ts';
import { Tick, type Ticks } from './ticks.tsx';

type RowsProps = {
  readonly deliveries: readonly EndpointDelivery[];
  /** URLs by the id of the endpoint; `null` in the list of one endpoint. */
  readonly urls: ReadonlyMap<string, string> | null;
  /** What is ticked to be resent; `null` where nothing can be. */
  readonly ticks: Ticks | null;
};

/** Deliveries, each on one line, and on two lines of a phone. */
export function DeliveryRows({ deliveries, urls, ticks }: RowsProps) {
  const now = useNow(10_000);
  // A replay is newer than what it replays, so the list has it, unless a filter leaves it out.
  const replayed = new Set(deliveries.map(({ replay_of }) => replay_of));
  return (
    <ul class="rows deliveries">
      {deliveries.map((delivery) => {
        const { id, webhook_id: webhookId, run_id: runId, created_at: created } = delivery;
        const subject = runId ?? delivery.event_id;
        const canResend = ticks !== null && delivery.status === 'failed' && !replayed.has(id);
        return (
          <li key={id} class={ticks === null ? undefined : 'tickable'}>
            {canResend && <Tick ticks={ticks} id={id} label={`${delivery.event_type} of ${subject}`} />}
            <a class="row" id={id} href={hrefOf({ view: 'delivery', webhookId, deliveryId: id })}>
              <span title={delivery.error ?? undefined}>
                <Badge status={shownStatus(delivery)} cause={causeOf(delivery)} />
              </span>
              <strong class="type">{delivery.event_type}</strong>
              <code class="subject-id" title={subject}>
                {shortId(subject)}
              </code>
              <span class="line about">
                {urls !== null && <bdi class="muted url">{urls.get(webhookId) ?? webhookId}</bdi>}
                {delivery.replay_of !== null && <span class="tag">resend</span>}
                {delivery.status === 'failed' && replayed.has(id) && <span class="tag">resent</span>}
              </span>
              <Attempts delivery={delivery} />
              <time class="when" dateTime={created} title={`${relativeTime(created, now)} · ${localTime(created)}`}>
                {clockTime(created, now)}
              </time>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

/** Gives a delivery of the list the focus, and brings it into view. */
export function focusRow(id: string | null): void {
  const row = id === null ? null : document.getElementById(id);
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: 'nearest' });
}

/** What the badge does not say: when the next attempt comes, and how many were made when it was more than one. */
function Attempts({ delivery }: { readonly delivery: EndpointDelivery }) {
  const { attempts, next_attempt_at: next } = delivery;
  return (
    <span class="muted attempts">
      {next !== null ? (
        <>
          next in <Countdown to={next} />
        </>
      ) : (
        attempts > 1 && `${attempts} attempts`
      )}
    </span>
  );
}
