import type { EventRun } from '#shared/domain/event.ts';

/**
 * One story for all examples, on one day: an endpoint is registered at 09:00 and gets an example of an event at 09:10,
 * a Run settles at 09:29 and its event arrives with the second attempt, at 09:40. The event is replayed at 09:52, what
 * failed since 06:00 at 09:55, the secret is rotated at 10:00, and a Tracker reports a change at 10:30.
 */
export const baseUrl = 'https://api.example.com';
export const docsUrl = `${baseUrl}/docs`;
export const addresses = { baseUrl, docsUrl };

export const ids = {
  customer: 'cus_01KB3KZ0A1B2C3D4E5F6G7H8J9',
  webhook: 'whe_01KB3M0V8Q6YQ2S7ZP4N1D5T9C',
  testDelivery: 'whd_01KB3M0V8Q0F2H4K6M8P0R2T4V',
  testEvent: 'evt_01KB3M0V8Q5B7D9F1H3K5M7P9R',
  exampleDelivery: 'whd_01KB3MHYG00K2M4N6P8Q0R2S4T',
  exampleEvent: 'evt_01KB3MHYG01X3Y5Z7A9B1C3D5E',
  exampleRun: 'run_01KB3MHYG06F8H0J2K4M6N8P0Q',
  delivery: 'whd_01KB3NQ2M70D8V5K3T6W9X1Y4Z',
  event: 'evt_01KB3NQ2M7R4S6T8V0W2X4Y6Z8',
  replay: 'whd_01KB3P4W9R0A1B2C3D4E5F6G7H',
  activityOfRegistration: 'act_01KB3M0V8Q3C5E7G9J1K3N5Q7S',
  activityOfReplay: 'act_01KB3P4W9R2B4D6F8H0K2M4P6R',
  credential: 'plk_01KB3NXW001D3F5H7K9N1Q3S5V',
  apiKey: 'aky_01KB3KZ0A12C4E6G8J0M2P4R6T',
  bulkReplay: 'rpl_01KB3P9A1C3E5G7J9M1P3R5T7V',
  partialRun: 'run_01KB3M8T2C4E6G8J0M2P4R6T8W',
  run: 'run_01KB3NPX5G7H9J1K3M5N7P9Q1R',
  tracker: 'trk_01KB2ZS8T5V7W9X1Y3Z5A7B9C1',
  trackerRun: 'run_01KB3R6D0E2G4J6M8P0R2T4W6Y',
  trackerEvent: 'evt_01KB3R6J3F5H7K9N1Q3S5V7X9Z',
  changeReport: 'chg_01KB3NQ0J2K4M6N8P0Q2R4S6T8',
  creator: 'cre_01KAZ5Y7X9W1V3T5S7R9Q1P3N5',
  video: '7301234567890123456',
} as const;

export const times = {
  registered: '2026-11-20T09:00:00.000Z',
  tested: '2026-11-20T09:00:00.124Z',
  acknowledgedTest: '2026-11-20T09:00:00.352Z',
  activated: '2026-11-20T09:00:00.371Z',
  exampleSent: '2026-11-20T09:10:00.000Z',
  runCreated: '2026-11-20T09:29:12.000Z',
  runSettled: '2026-11-20T09:29:59.870Z',
  eventCreated: '2026-11-20T09:30:00.007Z',
  firstAttempt: '2026-11-20T09:30:00.118Z',
  secondPlanned: '2026-11-20T09:39:14.524Z',
  secondAttempt: '2026-11-20T09:39:15.437Z',
  delivered: '2026-11-20T09:39:15.620Z',
  statsRead: '2026-11-20T09:50:00.000Z',
  replayed: '2026-11-20T09:52:40.600Z',
  linkEnds: '2026-11-20T10:52:00.000Z',
  bulkReplayed: '2026-11-20T09:55:00.000Z',
  bulkReplayEnded: '2026-11-20T09:55:52.310Z',
  overlapEnds: '2026-11-21T10:00:00.000Z',
  changed: '2026-11-20T10:30:00.015Z',
} as const;

/** The keys are example sentences in base64. */
export const secrets = {
  first: 'whsec_dGhpcyBpcyBhbiBleGFtcGxlLCBub3QgYSBzZWNyZXQ=',
  second: 'whsec_YW5vdGhlciBleGFtcGxlIGFuZCBub3QgYSBzZWNyZXQ=',
} as const;

export const settledRun: EventRun = {
  id: ids.run,
  kind: 'creator_videos',
  status: 'completed',
  chargeUsd: 0.25,
  trackerId: null,
};
export const trackerRun = {
  id: ids.trackerRun,
  kind: 'tracker_cycle',
  status: 'completed',
  chargeUsd: 0.1,
  trackerId: ids.tracker,
};

/** The beginning of an event. */
export const eventHead = (id: string, createdAt: string) => ({ id, createdAt: Date.parse(createdAt) });
