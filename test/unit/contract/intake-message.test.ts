import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type IntakeMessage, intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { intakeExamples } from '../../support/values/intake-messages.ts';

const pointsAt = (message: unknown) =>
  intakeMessage.safeParse(message).error?.issues.map((issue) => issue.path.join('.'));

const problem = { type: 't', title: 't', status: 500, code: 'internal_error' };
const long = 'x'.repeat(350 * 1024);

describe('intakeMessage', () => {
  it.each(Object.entries(intakeExamples))('accepts %s', (type, message) => {
    expect(intakeMessage.parse(message)).toMatchObject({ type, customer_id: message.customer_id });
  });

  it('ignores members that it does not know', () => {
    const message = {
      ...intakeExamples['run.settled'],
      note: 'x',
      run: { ...intakeExamples['run.settled'].run, note: 'x' },
    };

    expect(intakeMessage.parse(message)).toEqual(intakeMessage.parse(intakeExamples['run.settled']));
  });

  it('keeps the additional members of a Tracker and a Change Report', () => {
    const tracker = { ...intakeExamples['tracker.saved'].tracker, subject: { handle: 'a' } };
    const report = { ...intakeExamples['change_report.written'].change_report, changes: [1, 2] };

    expect(intakeMessage.parse({ ...intakeExamples['tracker.saved'], tracker })).toMatchObject({ tracker });
    expect(
      intakeMessage.parse({ ...intakeExamples['change_report.written'], change_report: report }),
    ).toMatchObject({ change_report: report });
  });

  it('reads absent values as null', () => {
    const parsed = intakeMessage.parse(intakeExamples['run.settled']);

    expect(parsed).toMatchObject({ run: { tracker_id: null, error: null, problems: null } });
  });

  it('puts times into UTC with milliseconds', () => {
    const run = { ...intakeExamples['run.settled'].run, settled_at: '2026-01-01T02:00:00+02:00' };

    expect(intakeMessage.parse({ ...intakeExamples['run.settled'], run })).toMatchObject({
      run: { settled_at: '2026-01-01T00:00:00.000Z' },
    });
  });

  it.each<[string, unknown, string]>([
    ['no type', { customer_id: 'cus_1' }, 'type'],
    ['an unknown type', { type: 'run.started', customer_id: 'cus_1' }, 'type'],
    ['no customer', { ...intakeExamples['run.saved'], customer_id: undefined }, 'customer_id'],
    [
      'a customer with a separator',
      { ...intakeExamples['run.saved'], customer_id: 'cus_a#b' },
      'customer_id',
    ],
    ['a bare prefix', { ...intakeExamples['run.saved'], customer_id: 'cus_' }, 'customer_id'],
    [
      'an id too long',
      { ...intakeExamples['run.saved'], customer_id: `cus_${'a'.repeat(125)}` },
      'customer_id',
    ],
    ['a settled Run that still runs', settled({ status: 'running' }), 'run.status'],
    ['an open Run that settled', open({ status: 'completed' }), 'run.status'],
    ['a negative charge', settled({ charge_usd: -0.01 }), 'run.charge_usd'],
    ['no charge', settled({ charge_usd: null }), 'run.charge_usd'],
    ['a date without a time', settled({ settled_at: '2026-01-01' }), 'run.settled_at'],
    ['a time without a zone', settled({ settled_at: '2026-01-01T00:00:00' }), 'run.settled_at'],
    ['a day that does not exist', settled({ settled_at: '2026-02-30T00:00:00Z' }), 'run.settled_at'],
    [
      'a problem of an unknown code',
      settled({ error: { type: 't', title: 't', status: 500, code: 'gone' } }),
      'run.error.code',
    ],
    ['a Run of another kind of id', settled({ id: 'trk_1' }), 'run.id'],
  ])('refuses %s', (_, message, pointer) => {
    expect(pointsAt(message)).toEqual([pointer]);
  });

  it('refuses a Change Report about another Run', () => {
    const example = intakeExamples['change_report.written'];

    expect(pointsAt({ ...example, run: { ...example.run, id: 'run_other' } })).toEqual([
      'change_report.run_id',
    ]);
  });

  it('accepts a record that fits into an item of the table, and refuses a larger one', () => {
    const example = intakeExamples['tracker.saved'];
    const withNote = (note: string) => ({ ...example, tracker: { ...example.tracker, note } });
    const room = 350 * 1024 - JSON.stringify(withNote('').tracker).length;

    expect(pointsAt(withNote('x'.repeat(room)))).toBeUndefined();
    expect(pointsAt(withNote('x'.repeat(room + 1)))).toEqual(['tracker']);
    expect(pointsAt(withNote('é'.repeat(room / 2 + 1)))).toEqual(['tracker']);
  });

  it.each([
    ['a Run', settled({ problems: [{ ...problem, detail: long }] }), 'run'],
    [
      'a Change Report',
      {
        ...intakeExamples['change_report.written'],
        change_report: { ...intakeExamples['change_report.written'].change_report, changes: [long] },
      },
      'change_report',
    ],
  ])('refuses %s that is too large to be stored', (_, message, pointer) => {
    expect(pointsAt(message)).toEqual([pointer]);
  });

  it('intakeMessage never throws for any JSON', () => {
    const time = fc.oneof(
      fc.string(),
      fc.date().map(String),
      fc.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/),
    );

    fc.assert(
      fc.property(fc.jsonValue(), time, (value, settledAt) => {
        expect(() => intakeMessage.safeParse(value)).not.toThrow();
        expect(() => intakeMessage.safeParse(settled({ settled_at: settledAt }))).not.toThrow();
      }),
    );
  });
});

function settled(run: Record<string, unknown>): Record<string, unknown> {
  const example = intakeExamples['run.settled'];
  return { ...example, run: { ...example.run, ...run } };
}

function open(run: Record<string, unknown>): Record<string, unknown> {
  const example = intakeExamples['run.saved'];
  return { ...example, run: { ...example.run, ...run } };
}

it('intakeExamples has an example of every type', () => {
  const types: Record<IntakeMessage['type'], true> = {
    'run.saved': true,
    'run.items_saved': true,
    'run.settled': true,
    'tracker.saved': true,
    'change_report.written': true,
    'creator_videos.saved': true,
  };

  expect(Object.keys(intakeExamples).sort()).toEqual(Object.keys(types).sort());
});
