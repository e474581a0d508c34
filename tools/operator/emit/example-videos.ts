import type { VideoItem } from '#shared/contract/records/given-results.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import { type Creator, canonicalHandle } from '#shared/domain/creator.ts';

const hour = 60 * 60_000;
const subjects = [
  { text: 'Three knots every sailor forgets', hashtags: ['sailing', 'knots'], seconds: 42 },
  { text: 'Sourdough without a starter? We tried', hashtags: ['baking', 'sourdough'], seconds: 67 },
  { text: 'How a canal lock works, in one take', hashtags: ['engineering'], seconds: 58 },
  { text: 'Answering your questions from last week', hashtags: [], seconds: 91 },
] as const;

const addresses: Readonly<Record<string, (handle: string, id: string) => string>> = {
  tiktok: (handle, id) => `https://www.tiktok.com/@${handle}/video/${id}`,
  instagram: (_handle, id) => `https://www.instagram.com/reel/${id}/`,
  youtube: (_handle, id) => `https://www.youtube.com/shorts/${id}`,
};

/**
 * Example videos of one creator, newest first. The first video and every fourth after it have no scores, like real
 * videos that are too new or have too few others to compare with.
 *
 * @param at epoch milliseconds at which the videos were measured
 * @param random returns the given number of random bytes
 */
export function exampleVideos(
  creator: Creator,
  count: number,
  at: number,
  random: (size: number) => Uint8Array,
): readonly VideoItem[] {
  const first = Buffer.from(random(6)).readUIntBE(0, 6);
  return Array.from({ length: count }, (_, index) => exampleVideo(creator, first + index, index, at));
}

function exampleVideo({ platform, handle }: Creator, number: number, index: number, at: number): VideoItem {
  const subject = subjects[index % subjects.length] ?? subjects[0];
  const id = `74${String(number).padStart(17, '0')}`;
  const account = canonicalHandle(handle);
  const views = 18_400 + ((index * 7_919) % 90_000);
  return {
    platform,
    id,
    url: addresses[platform]?.(account, id) ?? `https://example.com/${platform}/${id}`,
    description: subject.text,
    posted_at: timestamp(at - 5 * hour - index * 31 * hour),
    duration_seconds: subject.seconds,
    thumbnail_url: `https://cdn.example.com/${platform}/${id}.jpg`,
    hashtags: [...subject.hashtags],
    sound: { id: `snd_${1000 + (index % 5)}`, title: `original sound - ${account}` },
    creator: { id: `cre_${platform}_1`, handle: account, name: 'Example Creator', follower_count: 48_210 },
    snapshot: {
      at: timestamp(at),
      views,
      likes: Math.round(views / 11),
      comments: Math.round(views / 240),
      shares: Math.round(views / 130),
      saves: Math.round(views / 95),
    },
    scores: index % 4 === 0 ? null : exampleScores(views, at),
  };
}

function exampleScores(views: number, at: number): NonNullable<VideoItem['scores']> {
  const median = 24_500;
  const p90 = 96_000;
  return {
    outlier: Number((views / median).toFixed(2)),
    outlier_p90: Number((views / p90).toFixed(2)),
    percentile: Math.min(99, Math.round((views / p90) * 90)),
    velocity: { views_per_hour: Number((views / 36).toFixed(1)), window: '36h' },
    reason: null,
    baseline: {
      median_views: median,
      p90_views: p90,
      engagement_rate: 0.094,
      posts_per_week: 5.4,
      sample: 38,
      confidence: 'high',
      source: 'creator',
      computed_at: timestamp(at - hour),
      stale: false,
    },
  };
}
