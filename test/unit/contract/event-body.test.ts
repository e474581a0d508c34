import { describe, expect, it } from 'vitest';
import { isEventBody, readEventBody } from '#shared/contract/event-body.ts';
import { trackerChangedBody, webhookTestBody } from '#shared/domain/event.ts';

const head = { id: 'evt_1', createdAt: 0 };

describe('readEventBody()', () => {
  it('finds what a delivery repeats of its event', () => {
    const run = { id: 'run_1', kind: 'k', status: 'failed', chargeUsd: 0, trackerId: 'trk_1' } as const;

    expect(readEventBody(trackerChangedBody(head, run, 'chg_1', 'https://api.example.com'))).toEqual({
      id: 'evt_1',
      type: 'tracker.changed',
      run_id: 'run_1',
      tracker_id: 'trk_1',
      change_report_id: 'chg_1',
    });
    expect(readEventBody(webhookTestBody(head, 'whe_1'))).toEqual({ id: 'evt_1', type: 'webhook.test' });
  });

  it('reads an event of a type that only another release makes', () => {
    const event = { id: 'evt_1', type: 'run.started' };

    expect(readEventBody(JSON.stringify(event))).toEqual(event);
    expect(isEventBody(JSON.stringify(event))).toBe(true);
  });

  it.each(['', '{', '{}', '{"id":1,"type":"run.completed"}'])('throws for %s, which is no event', (body) => {
    expect(() => readEventBody(body)).toThrow();
    expect(isEventBody(body)).toBe(false);
  });
});
