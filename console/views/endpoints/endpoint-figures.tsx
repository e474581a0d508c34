import { useEffect, useRef, useState } from 'preact/hooks';
import type { Webhook, WebhookStats } from '../../api/records.ts';
import { statsWindows } from '../../api/service-facts.ts';
import { Section } from '../../parts/page.tsx';
import { LoadedView } from '../../parts/states.tsx';
import { numberText } from '../../parts/texts.ts';
import { useRead } from '../../parts/use-load.ts';
import { Facts, Time } from '../../parts/values.tsx';
import { hrefOf } from '../../routing/route.ts';
import {
  countsText,
  failureLinks,
  marksOf,
  outcomes,
  pictureOf,
  pictureText,
  resentText,
  responseText,
  shareText,
  spanText,
  usedBuckets,
  windowText,
} from './figures.ts';

const windowNames = { '1h': 'Last hour', '24h': '24 hours', '7d': '7 days' } as const;

/** Milliseconds between two reads of the figures: those of a busy endpoint cost four requests. */
const rest = 30_000;

/** How the deliveries of an endpoint went over a time. They are read again when a newer attempt is known. */
export function EndpointFigures({ endpoint: { id, last_delivery_at: last } }: { readonly endpoint: Webhook }) {
  const [window, setWindow] = useState<WebhookStats['window']['length']>('24h');
  const load = useRead(`figures of ${id} ${window}`, (api, signal) =>
    api.GET('/v1/webhooks/{id}/stats', { params: { path: { id }, query: { window } }, signal }),
  );
  const shown = useRef({ last, at: Date.now() });
  useEffect(() => {
    if (shown.current.last === last) return;
    const wait = Math.max(0, shown.current.at + rest - Date.now());
    const timer = setTimeout(() => {
      shown.current = { last, at: Date.now() };
      void load.reload();
    }, wait);
    return () => clearTimeout(timer);
  }, [last]);
  const choice = (
    <span class="tools">
      {statsWindows.map((name) => (
        <button key={name} type="button" class="copy" aria-pressed={name === window} onClick={() => setWindow(name)}>
          {windowNames[name]}
        </button>
      ))}
    </span>
  );
  return (
    <Section title="Figures" kind="card" action={choice}>
      <LoadedView load={load} what="the figures">
        {(stats) => <Figures stats={stats} />}
      </LoadedView>
    </Section>
  );
}

function Figures({ stats }: { readonly stats: WebhookStats }) {
  const failures = failureLinks(stats);
  return (
    <>
      <p class="muted">
        {windowText(stats.window)} since <Time at={stats.window.created_after} />
      </p>
      <Facts
        rows={{
          Delivered: shareText(stats),
          'Response time': responseText(stats),
          'Failed attempts':
            failures.length === 0
              ? 'none'
              : failures.map(({ text, filters }, index) => (
                  <span key={text}>
                    {index > 0 && ' · '}
                    <a href={hrefOf({ view: 'deliveries', filters })}>{text}</a>
                  </span>
                )),
          'Resent, apart': resentText(stats),
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
            <rect key={outcome} class={outcome} x={index * barWidth + 1} y={top} width={barWidth - 2} height={size} />
          ))}
        </g>
      ))}
      <line x1={0} x2={width} y1={base} y2={base} />
    </svg>
  );
}

function OutcomePicture({ stats }: { readonly stats: WebhookStats }) {
  return (
    <div class="outcomes axes">
      <Scale stats={stats} />
      <OutcomeBars stats={stats} label={pictureText(stats)} />
      <p class="marks muted" aria-hidden="true">
        {marksOf(stats).map((text) => (
          <span key={text}>{text}</span>
        ))}
        <span>now</span>
      </p>
      <p class="phases muted">
        {outcomes.map((outcome) => (
          <span key={outcome}>
            <i class={outcome} aria-hidden="true" /> {numberText(stats.deliveries[outcome])} {outcome}
          </span>
        ))}
        <span>in spans of {spanText(stats.bucket_seconds)}</span>
      </p>
    </div>
  );
}

/** The most of a span above the base, and below it what failed; not where it would be over the 0. */
function Scale({ stats }: { readonly stats: WebhookStats }) {
  const { height, base } = pictureOf(stats);
  const hasRoom = (deliveries: number) => deliveries > height / 5;
  const at = (deliveries: number) => `${(100 * deliveries) / height}%`;
  return (
    <svg class="scale" aria-hidden="true">
      {hasRoom(base) && (
        <text x="100%" y="0" dy="0.8em">
          {numberText(base)}
        </text>
      )}
      <text x="100%" y={at(base)} dy={hasRoom(base) ? (hasRoom(height - base) ? '0.3em' : '-0.2em') : '0.8em'}>
        0
      </text>
      {hasRoom(height - base) && base + stats.deliveries.failed > 0 && (
        <text x="100%" y="100%" dy="-0.2em">
          {numberText(height - base)}
        </text>
      )}
    </svg>
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
            <th scope="col">Resent</th>
          </tr>
        </thead>
        <tbody>
          {usedBuckets(stats).map((bucket) => (
            <tr key={bucket.created_after}>
              <th scope="row">
                <Time at={bucket.created_after} />
              </th>
              <td>{countsText(bucket)}</td>
              <td>{countsText(bucket.replays)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
