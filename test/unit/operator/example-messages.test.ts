import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type IntakeMessage, intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { videoRecord } from '#shared/contract/records/video.ts';
import { emittableTypes, exampleMessage } from '../../../tools/operator/emit/example-messages.ts';
import { countingBytes } from '../../support/operations/deps.ts';
import { customerId, startOfTest } from '../../support/values/builders.ts';

const example = (type: string, choices: object = {}): IntakeMessage =>
  intakeMessage.parse(exampleMessage(type, { customer: customerId, ...choices }, startOfTest, countingBytes()));

describe('exampleMessage()', () => {
  it('has an example of every kind of message', () => {
    const known = intakeMessage.def.options.flatMap(({ shape }) => shape.type.def.values);

    expect(emittableTypes.toSorted()).toEqual(known.toSorted());
  });

  it.each(emittableTypes)('builds %s as the intake accepts it', (type) => {
    expect(example(type)).toMatchObject({ type, customer_id: customerId });
  });

  it.each(['run.items_saved', 'creator_videos.saved'])('fits 1,000 videos into one message of %s', (type) => {
    expect(Buffer.byteLength(JSON.stringify(example(type, { count: 1_000 })))).toBeLessThan(1024 * 1024);
  });

  it('builds the requested number of videos, newest first, with and without scores', () => {
    const message = example('run.items_saved', { run: 'run_1', count: 8, platform: 'youtube' });

    const videos = z.array(videoRecord).parse('items' in message ? message.items : []);
    const times = videos.map(({ posted_at }) => posted_at);
    expect(new Set(videos.map(({ id }) => id)).size).toBe(8);
    expect(times).toEqual(times.toSorted().reverse());
    expect(new Set(videos.map(({ platform }) => platform))).toEqual(new Set(['youtube']));
    expect(videos.filter(({ scores }) => scores === null)).toHaveLength(2);
  });

  it('builds videos of the requested creator, or none', () => {
    expect(example('creator_videos.saved', { handle: '@Some.One', count: 1 })).toMatchObject({
      platform: 'tiktok',
      handle: '@Some.One',
      videos: [{ creator: { handle: 'some.one' } }],
    });
    expect(example('creator_videos.saved', { count: 0 })).toMatchObject({ videos: [] });
  });
});
