import type { WebhookStats } from '../../api/records.ts';
import { localTime, shortDuration } from '../../parts/texts.ts';
import { durationText, outcomeText } from '../deliveries/timeline.ts';

type Bucket = WebhookStats['buckets'][number];

/** In the order of the picture: from the top down. */
export const outcomes = ['pending', 'delivered', 'failed'] as const;
export type Outcome = (typeof outcomes)[number];

/** A part of a bar, in deliveries from the top of the picture. */
type Part = { readonly outcome: Outcome; readonly top: number; readonly height: number };

/** Bars of outcome over time. What failed hangs below the base, so that no one needs the color to see it. */
type Picture = {
  /** Deliveries from the top to the bottom, at least 1. */
  readonly height: number;
  /** Deliveries above the base. */
  readonly base: number;
  readonly bars: readonly { readonly from: string; readonly text: string; readonly parts: readonly Part[] }[];
};

export function pictureOf({ buckets }: Pick<WebhookStats, 'buckets'>): Picture {
  const base = Math.max(0, ...buckets.map(({ pending, delivered }) => pending + delivered));
  const below = Math.max(0, ...buckets.map(({ failed }) => failed));
  const bars = buckets.map((bucket) => {
    const { created_after: from, pending, delivered, failed } = bucket;
    const parts: readonly Part[] = [
      { outcome: 'pending', top: base - delivered - pending, height: pending },
      { outcome: 'delivered', top: base - delivered, height: delivered },
      { outcome: 'failed', top: base, height: failed },
    ];
    return {
      from,
      text: `${localTime(from)}: ${countsText(bucket)}`,
      parts: parts.filter(({ height }) => height > 0),
    };
  });
  return { height: Math.max(1, base + below), base, bars };
}

/** `3 delivered, 1 failed`; what is zero is left out. */
export function countsText(counts: Readonly<Record<Outcome, number>>): string {
  const said = (['delivered', 'failed', 'pending'] as const).filter((outcome) => counts[outcome] > 0);
  return said.map((outcome) => `${counts[outcome]} ${outcome}`).join(', ') || 'nothing';
}

/** What the picture shows, for readers who do not see it. */
export function pictureText({ deliveries, buckets, bucket_seconds: length }: WebhookStats): string {
  const failed = buckets.filter((bucket) => bucket.failed > 0).length;
  const spans = `in ${buckets.length} spans of ${shortDuration(length ?? 0)}`;
  const where = failed === 0 ? '' : `; failures in ${failed} of the spans`;
  return `Deliveries over time ${spans}: ${countsText(deliveries)}${where}`;
}

/** Spans in which deliveries were created. */
export function usedBuckets({ buckets }: Pick<WebhookStats, 'buckets'>): readonly Bucket[] {
  return buckets.filter(({ pending, delivered, failed }) => pending + delivered + failed > 0);
}

/** Rounded down, so that 100 % is said only of all. */
const percent = (share: number) => `${Math.floor(share * 1_000) / 10} %`;

/** `97.8 % of 46 that ended` */
export function shareText({ delivered_share: share, deliveries }: WebhookStats): string {
  if (share === null) return 'none has ended yet';
  const ended = deliveries.delivered + deliveries.failed;
  return `${percent(share)} of ${ended} that ended`;
}

/** An endpoint at a glance: `97.8 % of 46 delivered`, `median response 84 ms`. */
export function glanceTexts(stats: WebhookStats): readonly string[] {
  const { deliveries, response_ms: times } = stats;
  if (stats.delivered_share === null) return ['No delivery has ended yet'];
  const share = `${percent(stats.delivered_share)} of ${deliveries.delivered + deliveries.failed} delivered`;
  return times === null ? [share] : [share, `median response ${durationText(times.p50)}`];
}

export function responseText({ response_ms: times }: Pick<WebhookStats, 'response_ms'>): string {
  if (times === null) return 'no response yet';
  return `half within ${durationText(times.p50)}, 95 of 100 within ${durationText(times.p95)}`;
}

/** `Rejected with 503: 12 attempts` */
export function failureTexts({
  failed_attempts: failures,
}: Pick<WebhookStats, 'failed_attempts'>): readonly string[] {
  return failures.map(
    (failure) =>
      `${outcomeText(failure)}: ${failure.attempts} ${failure.attempts === 1 ? 'attempt' : 'attempts'}`,
  );
}

/** Which deliveries the figures are of. */
export function windowText({ deliveries, older_left_out: older, sampled }: WebhookStats['window']): string {
  if (sampled) return `A sample of ${deliveries} of the newest deliveries`;
  if (!older) return deliveries === 1 ? 'The only delivery' : `All ${deliveries} deliveries`;
  return `The newest ${deliveries} deliveries`;
}
