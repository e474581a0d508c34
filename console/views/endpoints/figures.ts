import type { WebhookStats } from '../../api/records.ts';
import { responseClasses } from '../../api/service-facts.ts';
import { countOf, localTime, markText, numberText, shortDuration } from '../../parts/texts.ts';
import { type Filters, withoutEmpty } from '../../routing/route.ts';
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
  return said.map((outcome) => `${numberText(counts[outcome])} ${outcome}`).join(', ') || 'nothing';
}

/** What the picture shows, for readers who do not see it. */
export function pictureText({ deliveries, buckets, bucket_seconds: length }: WebhookStats): string {
  const failed = buckets.filter((bucket) => bucket.failed > 0).length;
  const spans = `in ${buckets.length} spans of ${spanText(length)}`;
  const where = failed === 0 ? '' : `; failures in ${failed} of the spans`;
  return `Deliveries over time ${spans}: ${countsText(deliveries)}${where}`;
}

/** `2.5 min`, `1 h` */
export function spanText(seconds: number): string {
  return seconds < 3_600 ? `${seconds / 60} min` : shortDuration(seconds);
}

const bucketsOfMark = 6;

/** Marks of the axis of time, one at each quarter of the picture. */
export function marksOf({ buckets, window }: Pick<WebhookStats, 'buckets' | 'window'>): readonly string[] {
  const unit = window.length === '7d' ? 'date' : 'minute';
  return buckets
    .filter((_bucket, index) => index % bucketsOfMark === 0)
    .map(({ created_after: from }) => markText(from, unit));
}

/** Spans in which deliveries were created. */
export function usedBuckets({ buckets }: Pick<WebhookStats, 'buckets'>): readonly Bucket[] {
  return buckets.filter((bucket) => totalOf(bucket) + totalOf(bucket.replays) > 0);
}

function totalOf({ pending, delivered, failed }: Readonly<Record<Outcome, number>>): number {
  return pending + delivered + failed;
}

/** Rounded down, so that 100 % is said only of all. */
const percent = (share: number) => `${Math.floor(share * 1_000) / 10} %`;

/** `97.8 % of 46 that ended, 3 pending` */
export function shareText({ delivered_share: share, deliveries }: WebhookStats): string {
  if (totalOf(deliveries) === 0) return 'no delivery';
  const ended = numberText(deliveries.delivered + deliveries.failed);
  const delivered = share === null ? 'none has ended yet' : `${percent(share)} of ${ended} that ended`;
  return deliveries.pending === 0 ? delivered : `${delivered}, ${numberText(deliveries.pending)} pending`;
}

/** An endpoint at a glance: `97.8 % of 46 delivered in 24 h`, `3 pending, 4 attempts failed`, `median response 84 ms`. */
export function glanceTexts(stats: WebhookStats): readonly string[] {
  const { deliveries, delivered_share: delivered, response_ms: times } = stats;
  if (totalOf(deliveries) === 0) return ['No delivery in 24 h'];
  const ended = numberText(deliveries.delivered + deliveries.failed);
  const share =
    delivered === null ? 'No delivery has ended yet' : `${percent(delivered)} of ${ended} delivered in 24 h`;
  const response = times === null ? [] : [`median response ${durationText(times.p50)}`];
  return [share, ...retryTexts(stats), ...response];
}

/** In the first hour of an outage, deliveries wait for their next attempts and no share of those that ended shows it. */
function retryTexts({ deliveries, failed_attempts: failures }: WebhookStats): readonly string[] {
  const failed = failures.reduce((sum, { attempts }) => sum + attempts, 0);
  if (deliveries.pending === 0 || failed === 0) return [];
  return [`${numberText(deliveries.pending)} pending, ${attemptsText(failed)} failed`];
}

const attemptsText = (attempts: number) => `${numberText(attempts)} ${attempts === 1 ? 'attempt' : 'attempts'}`;

export function responseText({ response_ms: times }: Pick<WebhookStats, 'response_ms'>): string {
  if (times === null) return 'no response yet';
  return `half within ${durationText(times.p50)}, 95 of 100 within ${durationText(times.p95)}`;
}

/** What was resent, which no other figure has: `12 delivered, 3 failed`; empty when nothing was. */
export function resentText({ replays }: Pick<WebhookStats, 'replays'>): string {
  return totalOf(replays) === 0 ? '' : countsText(replays);
}

type Failures = WebhookStats['failed_attempts'];

/** `Rejected with 503: 12 attempts`, with the deliveries that it leads to. */
export function failureLinks({
  webhook_id: webhook,
  window,
  failed_attempts: failures,
}: Pick<WebhookStats, 'webhook_id' | 'window' | 'failed_attempts'>) {
  return failures.map((failure): { readonly text: string; readonly filters: Filters } => ({
    text: `${outcomeText(failure)}: ${attemptsText(failure.attempts)}`,
    filters: withoutEmpty({
      webhook,
      response_status: responseOf(failure),
      created_after: window.created_after,
    }),
  }));
}

/** The filter of the list; empty for a status that is in no class. */
function responseOf({ response_status: status }: Failures[number]): string {
  const name = status === null ? 'none' : `${Math.floor(status / 100)}xx`;
  return responseClasses.find((known) => known === name) ?? '';
}

/** Which deliveries the figures are of. */
export function windowText({ deliveries, sampled }: WebhookStats['window']): string {
  if (sampled) return `About ${numberText(deliveries)} deliveries, counted by samples`;
  return countOf(deliveries);
}
