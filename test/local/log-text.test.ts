import { describe, expect, it } from 'vitest';
import { type LogStyle, logText } from '../../tools/local/stack/log-text.ts';

const plain: LogStyle = { json: false, verbose: false, timeScale: 1 };

const logged = (message: string, facts: object, level = 'INFO') =>
  JSON.stringify({
    level,
    message,
    timestamp: '2026-11-20T09:30:00.123Z',
    service: 'webhooks',
    function_request_id: 'one',
    ...facts,
  });

const attempted = (facts: object) =>
  logged('delivery.attempted', {
    customer_id: 'cus_1',
    webhook_id: 'whe_1',
    delivery_id: 'whd_1',
    event_id: 'evt_1',
    event_type: 'run.completed',
    run_id: 'run_1',
    attempt: 1,
    outcome: 'rejected',
    duration_ms: 19,
    ...facts,
  });

const audit = (facts: object) =>
  logged('audit.done', {
    deliveries: { pending: 1, delivered: 5, failed: 2 },
    pending: { in_flight: 1, waiting: 2, overdue: 0, queued: 3, stranded: 0 },
    requeued: 0,
    complete: true,
    unfinished: [],
    ...facts,
  });

describe('logText()', () => {
  it.each([
    [{ status: 'delivered', response_status: 200 }, 'delivered: 200 in 19 ms'],
    [{ status: 'delivered', response_status: 204, attempt: 2 }, 'delivered at attempt 2: 204 in 19 ms'],
    [{ status: 'failed', attempt: 3, error: 'Timed out' }, 'failed at attempt 3: Timed out'],
    [
      { status: 'pending', error: 'Refused', next_attempt_at: '2026-11-20T09:40:00.123Z' },
      'attempt 1 failed: Refused; next at 09:40:00',
    ],
  ])('says of an attempt what, for which Run and endpoint, and how it ended: %j', (facts, outcome) => {
    expect(logText('local: queue/deliver', attempted(facts), plain)).toBe(
      `09:30:00  deliver       run.completed  run_1  whe_1  ${outcome}`,
    );
  });

  it('says each attempt of a batch that was acknowledged', () => {
    const attempt = { delivery_id: 'whd_1', event_id: 'evt_1', event_type: 'run.completed', attempt: 1 };
    const facts = { ...attempt, response_status: 200, duration_ms: 19 };
    const endpoints = [
      { customer_id: 'cus_1', webhook_id: 'whe_1', deliveries: [{ ...facts, run_id: 'run_1' }, facts] },
    ];

    expect(logText('local: queue/deliver', logged('deliveries.acknowledged', { endpoints }), plain)).toBe(
      '09:30:00  deliver       run.completed  run_1  whe_1  delivered: 200 in 19 ms\n' +
        '09:30:00  deliver       run.completed  evt_1  whe_1  delivered: 200 in 19 ms',
    );
  });

  it('names the time of the next attempt as the time scale makes it', () => {
    const facts = { status: 'pending', error: 'Refused', next_attempt_at: '2026-11-20T09:40:00.123Z' };

    const text = logText('local: queue/deliver-slow', attempted(facts), { ...plain, timeScale: 60 });

    expect(text).toMatch(/^09:30:00 {2}deliver-slow {2}.*; next at 09:30:10$/);
  });

  it('names the event of a handshake, which has no Run', () => {
    const handshake = { event_type: 'webhook.test', run_id: undefined };
    const facts = { ...handshake, status: 'delivered', response_status: 200 };

    expect(logText('local: api/register-webhook', attempted(facts), plain)).toBe(
      '09:30:00  api           webhook.test  evt_1  whe_1  delivered: 200 in 19 ms',
    );
  });

  it.each([
    [{ status: 201 }, 'registerWebhook  201'],
    [{ status: 409, code: 'webhook_limit_exceeded' }, 'registerWebhook  409 webhook_limit_exceeded'],
  ])('says of a request its operation and response: %j', (facts, text) => {
    const line = logged('request.done', { operation: 'registerWebhook', customer_id: 'cus_1', ...facts });

    expect(logText('local: api/register-webhook', line, plain)).toBe(`09:30:00  api           ${text}`);
  });

  it('shows any other line with its level and members', () => {
    const line = logged('step.failed', { step: 'enqueue', cause: { kind: 'Error', message: 'no' } }, 'ERROR');

    expect(logText('local: queue/intake', line, plain)).toBe(
      '09:30:00  intake        ERROR step.failed step=enqueue cause={"kind":"Error","message":"no"}',
    );
  });

  it.each(['local: api: Error: wanted', '[1]', '{"a":1}', 'null', '{'])('leaves the text %j as it is', (text) => {
    expect(logText('source', text, plain)).toBe(`source | ${text}`);
  });

  it('hides metrics and an audit that found nothing, unless asked for them', () => {
    const metrics = JSON.stringify({ _aws: {}, service: 'webhooks', PendingDeliveries: 0 });

    const shown = (style: LogStyle) =>
      [metrics, audit({})].map((line) => logText('local: schedule/audit', line, style));

    expect(shown(plain)).toEqual([null, null]);
    expect(shown({ ...plain, verbose: true })).toEqual([
      expect.stringContaining(metrics),
      expect.stringContaining('audit.done'),
    ]);
  });

  it.each([
    { pending: { overdue: 1, stranded: 0 } },
    { pending: { overdue: 0, stranded: 1 } },
    { requeued: 1 },
    { complete: false },
    { pending: 'unknown' },
  ])('shows an audit that found something: %j', (facts) => {
    expect(logText('local: schedule/audit', audit(facts), plain)).toMatch(/^09:30:00 {2}audit {9}audit\.done /);
  });

  it('prints JSON with the source for programs, and text as a member', () => {
    const json = { ...plain, json: true };

    expect(JSON.parse(logText('local: queue/deliver', attempted({}), json) ?? '')).toEqual({
      source: 'local: queue/deliver',
      ...JSON.parse(attempted({})),
    });
    expect(logText('scheduler', 'Error: no', json)).toBe('{"source":"scheduler","text":"Error: no"}');
    expect(logText('local: schedule/audit', audit({}), json)).toBeNull();
  });
});
