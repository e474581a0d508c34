import { describe, expect, it } from 'vitest';
import { parseEvent, readEvent } from '#shared/contract/event-body.ts';
import { exampleBody, trackerChangedBody, webhookTestBody } from '#shared/domain/event.ts';

const nothingElse = { runId: null, trackerId: null, changeReportId: null, exampleType: null };
const head = { id: 'evt_1', createdAt: 0 };

describe('readEvent()', () => {
  it('returns the members that a delivery repeats of its event', () => {
    const run = { id: 'run_1', kind: 'k', status: 'failed', chargeUsd: 0, trackerId: 'trk_1' } as const;

    expect(readEvent(trackerChangedBody(head, run, 'chg_1', 'https://api.example.com'))).toEqual({
      id: 'evt_1',
      type: 'tracker.changed',
      runId: 'run_1',
      trackerId: 'trk_1',
      changeReportId: 'chg_1',
      exampleType: null,
    });
    expect(readEvent(webhookTestBody(head, 'whe_1'))).toEqual({
      id: 'evt_1',
      type: 'webhook.test',
      ...nothingElse,
    });
  });

  it('returns the type of an example, and nothing else of it', () => {
    const subject = { runId: 'run_1', trackerId: 'trk_1', changeReportId: 'chg_1' };

    expect(readEvent(exampleBody(head, 'whe_1', 'tracker.changed', subject, 'https://api.example.com'))).toEqual({
      id: 'evt_1',
      type: 'webhook.test',
      ...nothingElse,
      exampleType: 'tracker.changed',
    });
  });

  it.each(['a text', {}, { type: 1 }])('ignores a member example of another release (%j)', (example) => {
    const event = { id: 'evt_1', type: 'run.started' };

    expect(readEvent(JSON.stringify({ ...event, example }))).toEqual({ ...event, ...nothingElse });
  });

  it('reads an event of a type that only another release sends', () => {
    const event = { id: 'evt_1', type: 'run.started' };

    expect(readEvent(JSON.stringify(event))).toEqual({ ...event, ...nothingElse });
  });

  it.each(['', '{', '{}', '{"id":1,"type":"run.completed"}'])('throws for %s, which is not an event', (body) => {
    expect(() => readEvent(body)).toThrow();
    expect(parseEvent(body)).toBeNull();
  });
});
