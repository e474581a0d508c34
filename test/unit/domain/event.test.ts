import { expect, it } from 'vitest';
import { runLinks, trackerLinks } from '#shared/domain/event.ts';

const baseUrl = 'https://api.example.com';

// test/unit/docs/events.test.ts has the bodies of all events.
it('links escape characters of an identifier that would change the path', () => {
  expect(runLinks('run_a/b?c', baseUrl)).toEqual({ run: `${baseUrl}/v1/runs/run_a%2Fb%3Fc` });
  expect(trackerLinks('trk_#', baseUrl)).toEqual({
    tracker: `${baseUrl}/v1/trackers/trk_%23`,
    changes: `${baseUrl}/v1/trackers/trk_%23/changes`,
  });
});
