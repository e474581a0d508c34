import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { intakeSchema } from '../../../tools/docs/intake-schema.ts';
import { hostileMessages, writeJson } from '../../support/values/hostile-messages.ts';
import { intakeExamples as examples } from '../../support/values/intake-messages.ts';

type Members = Readonly<Record<string, unknown>>;

const pointsAt = (message: unknown) =>
  intakeMessage.safeParse(message).error?.issues.map((issue) => issue.path.join('.'));
const settled = (run: Members) => ({
  ...examples['run.settled'],
  run: { ...examples['run.settled'].run, ...run },
});
const open = (run: Members) => ({ ...examples['run.saved'], run: { ...examples['run.saved'].run, ...run } });
const trackerWith = (members: Members) => ({
  ...examples['tracker.saved'],
  tracker: { ...examples['tracker.saved'].tracker, ...members },
});
const reportWith = (members: Members) => ({
  ...examples['change_report.written'],
  change_report: { ...examples['change_report.written'].change_report, ...members },
});

const withNumber = (text: string): unknown =>
  JSON.parse(JSON.stringify(trackerWith({ deep: [{ n: 'N' }] })).replace('"N"', text));

const problem = { type: 't', title: 't', status: 500, code: 'internal_error' };
const long = 'x'.repeat(350 * 1024);

describe('intakeMessage', () => {
  it.each(Object.entries(examples))('accepts %s, and so does its JSON Schema', (type, message) => {
    expect(intakeMessage.parse(message)).toMatchObject({ type, customer_id: message.customer_id });
    expect(z.fromJSONSchema(intakeSchema()).safeParse(message).error).toBeUndefined();
  });

  it('has an example of every type', () => {
    const types = intakeMessage.def.options.flatMap(({ shape }) => shape.type.def.values);

    expect(Object.keys(examples).toSorted()).toEqual(types.toSorted());
  });

  it('ignores members that it does not know', () => {
    const message = { ...settled({ note: 'x' }), note: 'x' };

    expect(intakeMessage.parse(message)).toEqual(intakeMessage.parse(examples['run.settled']));
  });

  it.each([trackerWith({ subject: { handle: 'a' } }), reportWith({ changes: [1, 2] })])(
    'keeps the additional members of a $type',
    (message) => {
      expect(intakeMessage.parse(message)).toMatchObject(message);
    },
  );

  it('reads absent values as null, and puts times into UTC with milliseconds', () => {
    expect(intakeMessage.parse(settled({ settled_at: '2026-01-01T02:00:00+02:00' }))).toMatchObject({
      run: { tracker_id: null, error: null, problems: null, settled_at: '2026-01-01T00:00:00.000Z' },
    });
  });

  it.each([
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['0000-01-01T00:00:00-00:01', '0000-01-01T00:01:00.000Z'],
  ])('accepts a time at an end of the calendar: %s', (settled_at, stored) => {
    expect(intakeMessage.parse(settled({ settled_at }))).toMatchObject({ run: { settled_at: stored } });
  });

  it.each(['1e-400', '1e308', '-0', '1e-200'])('accepts %s, as the double that it is read as', (text) => {
    expect(pointsAt(withNumber(text))).toBeUndefined();
  });

  it.each<[string, unknown, string]>([
    ['no type', { customer_id: 'cus_1' }, 'type'],
    ['an unknown type', { type: 'run.started', customer_id: 'cus_1' }, 'type'],
    ['no customer', { ...examples['run.saved'], customer_id: undefined }, 'customer_id'],
    ['a customer with a separator', { ...examples['run.saved'], customer_id: 'cus_a#b' }, 'customer_id'],
    ['a settled Run that still runs', settled({ status: 'running' }), 'run.status'],
    ['an open Run that settled', open({ status: 'completed' }), 'run.status'],
    ['a negative charge', settled({ charge_usd: -0.01 }), 'run.charge_usd'],
    ['no charge', settled({ charge_usd: null }), 'run.charge_usd'],
    ['a date without a time', settled({ settled_at: '2026-01-01' }), 'run.settled_at'],
    ['a time without a zone', settled({ settled_at: '2026-01-01T00:00:00' }), 'run.settled_at'],
    ['a day that does not exist', settled({ settled_at: '2026-02-30T00:00:00Z' }), 'run.settled_at'],
    ['a year after 9999 in UTC', settled({ settled_at: '9999-12-31T23:59:59.999-00:01' }), 'run.settled_at'],
    ['a year before 0000 in UTC', settled({ settled_at: '0000-01-01T00:00:00+00:01' }), 'run.settled_at'],
    ['a number beyond the range of a double', withNumber('1e400'), 'tracker.deep'],
    ['a number below the range of a double', withNumber('-1e400'), 'tracker.deep'],
    ['a problem of an unknown code', settled({ error: { ...problem, code: 'gone' } }), 'run.error.code'],
    ['a Run of another kind of id', settled({ id: 'trk_1' }), 'run.id'],
    ['a Change Report about another Run', reportWith({ run_id: 'run_other' }), 'change_report.run_id'],
    ['a Run that is too large to be stored', settled({ problems: [{ ...problem, detail: long }] }), 'run'],
    ['a Change Report that is too large to be stored', reportWith({ changes: [long] }), 'change_report'],
    ['a handle without characters', { ...examples['creator_videos.saved'], handle: '@' }, 'handle'],
  ])('refuses %s', (_, message, pointer) => {
    expect(pointsAt(message)).toEqual([pointer]);
  });

  it('accepts a record that fits into an item of the table, and refuses a larger one', () => {
    const room = 350 * 1024 - JSON.stringify(trackerWith({ note: '' }).tracker).length;

    expect(pointsAt(trackerWith({ note: 'x'.repeat(room) }))).toBeUndefined();
    expect(pointsAt(trackerWith({ note: 'x'.repeat(room + 1) }))).toEqual(['tracker']);
    expect(pointsAt(trackerWith({ note: 'é'.repeat(room / 2 + 1) }))).toEqual(['tracker']);
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

it.each(Object.entries(hostileMessages))(
  'an accepted message is the same after it is written and read again: %s',
  (_, hostile) => {
    let accepted = 0;

    fc.assert(
      fc.property(hostile, (given) => {
        const first = intakeMessage.safeParse(JSON.parse(writeJson(given)));
        if (!first.success) return;
        accepted += 1;

        const written = JSON.stringify(first.data);
        const again = intakeMessage.safeParse(JSON.parse(written));

        expect(again.error?.issues).toBeUndefined();
        expect(JSON.stringify(again.data)).toBe(written);
        // JSON silently drops values that it cannot express.
        expect(again.data).toEqual(JSON.parse(written));
      }),
      { numRuns: 200, seed: 8 },
    );

    expect(accepted).toBeGreaterThan(10);
  },
);

describe('docs/intake.schema.json', () => {
  it('the file is the schema of the messages: run `npm run record`', async () => {
    const text = await readFile(new URL('../../../docs/intake.schema.json', import.meta.url), 'utf8');

    expect(text).toBe(`${JSON.stringify(intakeSchema(), null, 2)}\n`);
  });

  it.each([{}, { customer_id: 'nobody' }, { run: { id: 'run_1' } }])('the schema refuses %j', (members) => {
    const message = { type: 'run.saved', ...members };

    expect(z.fromJSONSchema(intakeSchema()).safeParse(message).success).toBe(false);
  });
});
