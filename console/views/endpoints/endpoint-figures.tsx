import { useEffect, useRef } from 'preact/hooks';
import type { Webhook, WebhookStats } from '../../api/records.ts';
import { Section } from '../../parts/page.tsx';
import { LoadedView } from '../../parts/states.tsx';
import { useRead } from '../../parts/use-load.ts';
import { Facts, RelativeTime, Time } from '../../parts/values.tsx';
import {
  countsText,
  failureTexts,
  outcomes,
  pictureOf,
  pictureText,
  responseText,
  shareText,
  usedBuckets,
  windowText,
} from './figures.ts';

/** How the newest deliveries of an endpoint went. They are read again when a newer attempt is known. */
export function EndpointFigures({
  endpoint: { id, last_delivery_at: last },
}: {
  readonly endpoint: Webhook;
}) {
  const load = useRead(`figures of ${id}`, (api, signal) =>
    api.GET('/v1/webhooks/{id}/stats', { params: { path: { id } }, signal }),
  );
  const shown = useRef(last);
  useEffect(() => {
    if (shown.current !== last) void load.reload();
    shown.current = last;
  }, [last]);
  return (
    <Section title="Figures" kind="card">
      <LoadedView load={load} what="the figures">
        {(stats) => <Figures stats={stats} />}
      </LoadedView>
    </Section>
  );
}

function Figures({ stats }: { readonly stats: WebhookStats }) {
  const { created_after: from } = stats.window;
  if (from === null) return <p class="muted">No deliveries are stored.</p>;
  const failures = failureTexts(stats);
  return (
    <>
      <p class="muted">
        {windowText(stats.window)}, since <Time at={from} />
      </p>
      <Facts
        rows={{
          Delivered: shareText(stats),
          'Response time': responseText(stats),
          'Failed attempts': failures.length === 0 ? 'none' : failures.join(' · '),
        }}
      />
      <OutcomePicture stats={stats} />
      <OutcomeTable stats={stats} />
    </>
  );
}

/** Units of the picture for each bar: eight of bar and two of space. */
const barWidth = 10;

/** @param label what the bars show, for readers who do not see them */
export function OutcomeBars({ stats, label }: { readonly stats: WebhookStats; readonly label: string }) {
  const { height, base, bars } = pictureOf(stats);
  const width = bars.length * barWidth;
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none">
      {bars.map(({ from, text, parts }, index) => (
        <g key={from}>
          <title>{text}</title>
          {parts.map(({ outcome, top, height: size }) => (
            <rect
              key={outcome}
              class={outcome}
              x={index * barWidth + 1}
              y={top}
              width={barWidth - 2}
              height={size}
            />
          ))}
        </g>
      ))}
      <line x1={0} x2={width} y1={base} y2={base} />
    </svg>
  );
}

function OutcomePicture({ stats }: { readonly stats: WebhookStats }) {
  const [first] = stats.buckets;
  return (
    <div class="outcomes">
      <OutcomeBars stats={stats} label={pictureText(stats)} />
      <p class="ends muted" aria-hidden="true">
        {first !== undefined && <RelativeTime at={first.created_after} />}
        <span>now</span>
      </p>
      <p class="phases muted">
        {outcomes.map((outcome) => (
          <span key={outcome}>
            <i class={outcome} aria-hidden="true" /> {stats.deliveries[outcome]} {outcome}
          </span>
        ))}
      </p>
    </div>
  );
}

/** The numbers of the picture. */
function OutcomeTable({ stats }: { readonly stats: WebhookStats }) {
  return (
    <details>
      <summary>As a table</summary>
      <table class="headers">
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">Deliveries</th>
          </tr>
        </thead>
        <tbody>
          {usedBuckets(stats).map((bucket) => (
            <tr key={bucket.created_after}>
              <th scope="row">
                <Time at={bucket.created_after} />
              </th>
              <td>{countsText(bucket)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
