import type { ComponentChildren } from 'preact';
import type { DeliveryDetail } from '../../api/records.ts';
import { attemptLimit } from '../../api/service-facts.ts';
import { Section } from '../../parts/page.tsx';
import { shortDuration } from '../../parts/texts.ts';
import { Countdown, Time } from '../../parts/values.tsx';
import { durationText, outcomeText, phaseNames, type Row, type Segment, timelineOf } from './timeline.ts';

type TimelineProps = {
  readonly delivery: DeliveryDetail;
  /** Shown below the time of the next attempt. */
  readonly next: ComponentChildren;
};

/** The attempts of a delivery as a picture: when they were planned and made, and where their time went. */
export function Timeline({ delivery, next }: TimelineProps) {
  const rows = timelineOf(delivery);
  return (
    <Section title="Attempts" kind="card">
      {rows.length === 0 ? (
        <p class="muted">No attempt was made.</p>
      ) : (
        <ol class="timeline">
          {rows.map((row) => (
            <li key={row.number} class={row.kind}>
              <span class={`number ${toneOf(row)}`} aria-hidden="true">
                {row.number}
              </span>
              <RowView row={row} next={next} />
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

function toneOf(row: Row): string {
  if (row.kind === 'made') return row.attempt.outcome === 'acknowledged' ? 'good' : 'bad';
  return row.kind === 'not-needed' ? 'quiet' : 'open';
}

function RowView({ row, next }: { readonly row: Row } & Pick<TimelineProps, 'next'>) {
  switch (row.kind) {
    case 'made':
      return <Made row={row} />;
    case 'next':
      return (
        <div>
          <p>
            <strong>
              Next attempt in <Countdown to={row.planned} />
            </strong>{' '}
            <span class="muted">
              <Time at={row.planned} />
            </span>
          </p>
          {next}
        </div>
      );
    case 'running':
      return <p>Queued, or being made right now</p>;
    case 'not-needed':
      return (
        <p class="muted">{row.last > row.number ? `Attempts ${row.number} and ${row.last} were` : 'Was'} not needed</p>
      );
  }
}

function Made({ row }: { readonly row: Extract<Row, { kind: 'made' }> }) {
  const { attempt, segments, error } = row;
  // What the queue took.
  const late = (Date.parse(attempt.at) - Date.parse(attempt.planned_at)) / 1_000;
  const isGood = attempt.outcome === 'acknowledged';
  return (
    <div>
      <p class="made">
        <strong class={isGood ? 'good' : 'error'}>{outcomeText(attempt)}</strong>
        <span class="muted">
          <Time at={attempt.at} /> · took {durationText(attempt.duration_ms)}
        </span>
        {late >= 1 && (
          <span class="muted">
            began {shortDuration(late)} after the planned <Time at={attempt.planned_at} />
          </span>
        )}
      </p>
      {attempt.repeated && <p class="muted">Sent again: the kept connection ended without a response</p>}
      {error !== null && <p class="error">{error}</p>}
      <Phases segments={segments} />
    </div>
  );
}

/**
 * The phases as a bar that is as wide as the time limit of an attempt, and in words: most are too short to see beside ten
 * seconds. A phase too short to see still gets four pixels.
 */
function Phases({ segments }: { readonly segments: readonly Segment[] }) {
  const limit = durationText(attemptLimit);
  const phases = segments.map(({ phase, from, duration }) => ({
    key: `${phase}-${from}`,
    background: `var(--${phase})`,
    name: phaseNames[phase],
    took: durationText(duration),
    width: `${(Math.min(duration, attemptLimit) / attemptLimit) * 100}%`,
  }));
  const described = `${phases.map(({ name, took }) => `${name} ${took}`).join(', ')} of a limit of ${limit}`;
  return (
    <>
      <div class="bar">
        <div class="track" role="img" aria-label={described}>
          {phases.map(({ key, background, name, took, width }) => (
            <span key={key} title={`${name}: ${took}`} style={{ background, width }} />
          ))}
        </div>
        <span class="limit" aria-hidden="true">
          {limit}
        </span>
      </div>
      <p class="phases muted">
        {phases.map(({ key, background, name, took }) => (
          <span key={key}>
            <i style={{ background }} aria-hidden="true" /> {name} {took}
          </span>
        ))}
      </p>
    </>
  );
}
