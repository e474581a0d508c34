import { type Check, check, checksOf, collected, groupsOf, scenario } from '../harness/check.ts';
import { expectEqual, expectThat, show } from '../harness/expect.ts';
import { at, isRecord, listAt } from '../harness/json.ts';
import { video } from '../harness/messages.ts';
import { creator, runItems } from '../scenarios/lists.ts';
import {
  field,
  fieldChecks,
  isAbsoluteUrl,
  isBoolean,
  isId,
  isInteger,
  isNumber,
  isText,
  isTimestamp,
  orNull,
} from './fields.ts';

const fields = [
  field('platform', 'a platform name', isText),
  field('id', 'a string', isText),
  field('url', 'a string', isAbsoluteUrl),
  field('description', 'a string', isText),
  field('posted_at', 'a timestamp', isTimestamp),
  field('duration_seconds', 'an integer', isInteger),
  field('thumbnail_url', 'a string', isAbsoluteUrl),
  field('hashtags', 'an array of strings', (value) => Array.isArray(value) && value.every(isText)),
  field('sound.id', 'a string', isText),
  field('sound.title', 'a string', isText),
  field('creator.id', 'a string that begins with cre_', isId('cre_')),
  field('creator.handle', 'a string', isText),
  field('creator.name', 'a string', isText),
  field('creator.follower_count', 'an integer', isInteger),
  field('snapshot.at', 'a timestamp', isTimestamp),
  ...['views', 'likes', 'comments', 'shares', 'saves'].map((name) =>
    field(`snapshot.${name}`, 'an integer', isInteger),
  ),
  field('scores', 'an object or null', orNull(isRecord)),
];

const scoreFields = [
  field('outlier', 'a number', isNumber),
  field('outlier_p90', 'a number', isNumber),
  field('percentile', 'an integer', isInteger),
  field('velocity.views_per_hour', 'a number', isNumber),
  field('velocity.window', 'a string', isText),
  field('reason', 'a string or null', orNull(isText)),
  field('baseline.median_views', 'a number', isNumber),
  field('baseline.p90_views', 'a number', isNumber),
  field('baseline.engagement_rate', 'a number', isNumber),
  field('baseline.posts_per_week', 'a number', isNumber),
  field('baseline.sample', 'an integer', isInteger),
  field('baseline.confidence', 'a string', isText),
  field('baseline.source', 'a string', isText),
  field('baseline.computed_at', 'a timestamp', isTimestamp),
  field('baseline.stale', 'a boolean', isBoolean),
];

const storedVideos = scenario(['intake'], async (ctx) => {
  const page = await ctx.customer.get(`${await creator(ctx)}?limit=10`);
  return listAt(page.json, 'items');
});

const scores = collected(storedVideos.needs, async (ctx) =>
  (await storedVideos(ctx)).map((item) => at(item, 'scores')).filter((value) => value !== null),
);

const content: readonly Check[] = [
  ...checksOf(storedVideos, {
    'a video whose scores are null keeps the member': (items) => {
      const values = items.map((item) => at(item, 'scores'));
      expectThat(values.includes(null), 'a video with scores null', show(values));
    },
    'a stored video is shown as it was stored': ([newest], ctx) => {
      const stored = video(ctx, String(at(newest, 'creator', 'handle')), 0);
      for (const [name, value] of Object.entries(stored)) {
        expectThat(sameJson(at(newest, name), value), `${name} ${show(value)}`, show(at(newest, name)));
      }
    },
  }),
  check("a Run's items are video items too", runItems.needs, async (ctx) => {
    const page = await ctx.customer.get(`${await runItems(ctx)}?limit=5`);
    const items = listAt(page.json, 'items');
    expectEqual('number of items', items.length, 5);
    for (const { name, test } of fields) {
      const values = items.map((item) => at(item, ...name.split('.')));
      expectThat(values.every(test), `${name} of a video item`, show(values));
    }
  }),
];

/** Whether two values are equal, without regard to the order of members. */
function sameJson(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, index) => sameJson(value, other[index]));
  }
  if (!isRecord(one) || !isRecord(other)) return one === other;
  const names = Object.keys(other);
  return names.every((name) => sameJson(one[name], other[name])) && Object.keys(one).length === names.length;
}

export const videoFields = groupsOf('Resources and their fields', {
  'Video item': [
    ...fieldChecks('a video item', fields, storedVideos),
    ...fieldChecks('scores', scoreFields, scores),
    ...content,
  ],
});
