import { describe, expect, it } from 'vitest';
import {
  runCompletedBody,
  runLinks,
  trackerChangedBody,
  trackerLinks,
  webhookTestBody,
} from '#shared/domain/event.ts';

const head = { id: 'evt_1', createdAt: Date.UTC(2026, 0, 1, 0, 0, 0, 7) };
const baseUrl = 'https://api.example.com';
const run = { id: 'run_1', kind: 'search', status: 'completed', chargeUsd: 0.02, trackerId: null } as const;

describe('runCompletedBody()', () => {
  it('returns compact JSON with the members in their order', () => {
    expect(runCompletedBody(head, run, baseUrl)).toBe(
      '{"id":"evt_1","type":"run.completed","created_at":"2026-01-01T00:00:00.007Z","run_id":"run_1",' +
        '"kind":"search","status":"completed","charge_usd":0.02,' +
        '"links":{"run":"https://api.example.com/v1/runs/run_1"}}',
    );
  });

  it('names the Tracker of a tracker cycle, and no Change Report', () => {
    const cycle = {
      ...run,
      kind: 'tracker_cycle',
      status: 'partial',
      chargeUsd: 0,
      trackerId: 'trk_1',
    } as const;

    expect(runCompletedBody(head, cycle, baseUrl)).toBe(
      '{"id":"evt_1","type":"run.completed","created_at":"2026-01-01T00:00:00.007Z","run_id":"run_1",' +
        '"kind":"tracker_cycle","status":"partial","charge_usd":0,"tracker_id":"trk_1",' +
        '"links":{"run":"https://api.example.com/v1/runs/run_1",' +
        '"tracker":"https://api.example.com/v1/trackers/trk_1",' +
        '"changes":"https://api.example.com/v1/trackers/trk_1/changes"}}',
    );
  });
});

describe('trackerChangedBody()', () => {
  it('names the Tracker, the Change Report and all links', () => {
    const cycle = { ...run, kind: 'tracker_cycle', trackerId: 'trk_1' };

    expect(trackerChangedBody(head, cycle, 'chg_1', baseUrl)).toBe(
      '{"id":"evt_1","type":"tracker.changed","created_at":"2026-01-01T00:00:00.007Z","run_id":"run_1",' +
        '"kind":"tracker_cycle","status":"completed","charge_usd":0.02,"tracker_id":"trk_1",' +
        '"change_report_id":"chg_1",' +
        '"links":{"run":"https://api.example.com/v1/runs/run_1",' +
        '"tracker":"https://api.example.com/v1/trackers/trk_1",' +
        '"changes":"https://api.example.com/v1/trackers/trk_1/changes"}}',
    );
  });
});

describe('webhookTestBody()', () => {
  it('names the endpoint, and has no links', () => {
    expect(webhookTestBody(head, 'whe_1')).toBe(
      '{"id":"evt_1","type":"webhook.test","created_at":"2026-01-01T00:00:00.007Z",' +
        '"webhook_id":"whe_1","links":{}}',
    );
  });
});

describe('links', () => {
  it('escape characters of an identifier that would change the path', () => {
    expect(runLinks('run_a/b?c', baseUrl)).toEqual({ run: `${baseUrl}/v1/runs/run_a%2Fb%3Fc` });
    expect(trackerLinks('trk_#', baseUrl)).toEqual({
      tracker: `${baseUrl}/v1/trackers/trk_%23`,
      changes: `${baseUrl}/v1/trackers/trk_%23/changes`,
    });
  });
});
