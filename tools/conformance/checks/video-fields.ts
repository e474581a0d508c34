import { type Check, checkOf, checksOf, collected, groupsOf, scenario } from '../harness/check.ts';
import { expectEqual, expectThat, show } from '../harness/expect.ts';
import { at, expectMembers, isRecord, listAt } from '../harness/json.ts';
import { creator, runItems } from '../scenarios/lists.ts';
import { video } from '../scenarios/messages.ts';
import { field, fieldChecks, fields, is } from './fields.ts';

const videoRows = [
  field('platform', 'a platform name', is.text),
  field('id', 'a string', is.text),
  field('url', 'a string', is.absoluteUrl),
  field('description', 'a string', is.text),
  field('posted_at', 'a timestamp', is.timestamp),
  field('duration_seconds', 'an integer', is.integer),
  field('thumbnail_url', 'a string', is.absoluteUrl),
  field('hashtags', 'an array of strings', (value) => Array.isArray(value) && value.every(is.text)),
  ...fields(['sound.id', 'sound.title'], 'a string', is.text),
  field('creator.id', 'a string that begins with cre_', is.id('cre_')),
  ...fields(['creator.handle', 'creator.name'], 'a string', is.text),
  field('creator.follower_count', 'an integer', is.integer),
  field('snapshot.at', 'a timestamp', is.timestamp),
  ...['views', 'likes', 'comments', 'shares', 'saves'].map((name) =>
    field(`snapshot.${name}`, 'an integer', is.integer),
  ),
  field('scores', 'an object or null', is.orNull(isRecord)),
];

const scoreFields = [
  ...fields(['outlier', 'outlier_p90'], 'a number', is.number),
  field('percentile', 'an integer', is.integer),
  field('velocity.views_per_hour', 'a number', is.number),
  field('velocity.window', 'a string', is.text),
  field('reason', 'a string or null', is.orNull(is.text)),
  ...fields(['baseline.median_views', 'baseline.p90_views'], 'a number', is.number),
  ...fields(['baseline.engagement_rate', 'baseline.posts_per_week'], 'a number', is.number),
  field('baseline.sample', 'an integer', is.integer),
  ...fields(['baseline.confidence', 'baseline.source'], 'a string', is.text),
  field('baseline.computed_at', 'a timestamp', is.timestamp),
  field('baseline.stale', 'a boolean', is.boolean),
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
    'a stored video is shown as it was stored': ([newest], ctx) =>
      expectMembers(newest, video(ctx, String(at(newest, 'creator', 'handle')), 0)),
  }),
  checkOf("a Run's items are video items too", runItems, async (path, ctx) => {
    const page = await ctx.customer.get(`${path}?limit=5`);
    const items = listAt(page.json, 'items');
    expectEqual('number of items', items.length, 5);
    for (const { name, test } of videoRows) {
      const values = items.map((item) => at(item, ...name.split('.')));
      expectThat(values.every(test), `${name} of a video item`, show(values));
    }
  }),
];

export const videoFields = groupsOf('Resources and their fields', {
  'Video item': [
    ...fieldChecks('a video item', videoRows, storedVideos),
    ...fieldChecks('scores', scoreFields, scores),
    ...content,
  ],
});
