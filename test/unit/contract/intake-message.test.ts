import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { intakeMessage } from '#shared/contract/messages/intake-message.ts';
import { messageFaults, plainFault } from '#shared/runtime/plain-fault.ts';
import { intakeSchemaFile } from '../../../site/openapi/intake-schema.ts';
import { hostileMessages, writeJson } from '../../support/values/hostile-messages.ts';
import { intakeExamples as examples } from '../../support/values/intake-messages.ts';
import { acceptedMessages, messageWith, refusedMessages } from '../../support/values/intake-vectors.ts';

type Members = Readonly<Record<string, unknown>>;

const schema = z.fromJSONSchema(z.record(z.string(), z.json()).parse(JSON.parse(intakeSchemaFile())));
const pointsAt = (message: unknown) =>
  intakeMessage.safeParse(message).error?.issues.map((issue) => issue.path.join('.'));
const settled = (run: Members) => ({
  ...examples['run.settled'],
  run: { ...examples['run.settled'].run, ...run },
});
function faultsOf(message: unknown): readonly string[] {
  const { error } = intakeMessage.safeParse(message, { error: plainFault });
  return error === undefined ? [] : messageFaults(error);
}

/** The path of every member inside a value, with dots. */
function pathsOf(value: unknown): readonly string[] {
  if (!(value instanceof Object)) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...pathsOf(member).map((path) => `${name}.${path}`)]);
}

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
const many = <T>(one: T, count = 200_000): T[] => Array.from({ length: count }, () => one);

describe('intakeMessage', () => {
  it.each(Object.entries(examples))('accepts %s, and so does its JSON Schema', (type, message) => {
    expect(intakeMessage.parse(message)).toMatchObject({ type, customer_id: message.customer_id });
    expect(schema.safeParse(message).error).toBeUndefined();
  });

  it.each([
    ['items', { ...examples['run.items_saved'], items: many({}) }, 'items.0.platform: is missing'],
    ['problems', settled({ problems: [...many(problem, 200), ...many({})] }), 'run.problems.200.type: is missing'],
    ['hashtags', { ...examples['creator_videos.saved'], videos: [{ hashtags: many(1) }] }, 'videos.0.hashtags.0: must'],
  ])('names the first of a million faults in %s', (_list, message, first) => {
    const faults = faultsOf(message);

    expect(faults).toContainEqual(expect.stringContaining(first));
    expect(faults.length).toBeLessThan(20);
  });

  it('takes a long list whole', () => {
    const message = intakeMessage.parse(settled({ problems: many(problem, 1_000) }));

    expect(message).toMatchObject({ run: { problems: many(problem, 1_000) } });
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

  it('says of each wrong member what it must be, and refuses what not every reader can parse', () => {
    const said = refusedMessages.map(({ name, message }) => ({ name, faults: faultsOf(message) }));

    expect(said).toEqual(refusedMessages.map(({ name, fault }) => ({ name, faults: [fault] })));
  });

  it('keeps each text for people, apart from half a surrogate pair and NUL', () => {
    for (const { name, message, member, stored } of acceptedMessages)
      expect(intakeMessage.parse(message), name).toHaveProperty(member, stored);
  });

  it('replaces the same in the names of members, of which the last counts when they become the same', () => {
    const names = { 'a\u0000': 1, '\ud800': 2, '\udc00': 3, 'Zeile\n🎬': 4 };
    const message = messageWith('tracker.saved', 'tracker', {
      ...examples['tracker.saved'].tracker,
      ...names,
      deep: [names],
    });

    const kept = { a: 1, '\ufffd': 3, 'Zeile\n🎬': 4 };
    expect(intakeMessage.parse(message)).toMatchObject({ tracker: { ...kept, deep: [kept] } });
  });

  it('lets no name that is replaced take the place of a checked member', () => {
    expect(faultsOf(trackerWith({ 'id\u0000': 'not an id' }))).toEqual([
      'tracker: must have no names that differ only in NUL or half a surrogate pair',
    ]);
  });

  it.each([null, true, 1.5, Infinity, '', 'swordfish\ud800'.repeat(400), ['swordfish'], { swordfish: 1 }])(
    'says for every member what it must be, and repeats no value: %#',
    (value) => {
      const members = Object.keys(examples).flatMap((type) =>
        pathsOf(messageWith(type, '')).map((member) => messageWith(type, member, value)),
      );

      for (const fault of members.flatMap(faultsOf)) {
        expect(fault).toMatch(/^[\w.]+: (is missing and )?must (?!be of another type).*[^.]$/);
        expect(fault).not.toContain('swordfish');
      }
    },
  );

  it.each<[string, unknown, string]>([
    ['a year before 0000 in UTC', settled({ settled_at: '0000-01-01T00:00:00+00:01' }), 'run.settled_at'],
    ['a number beyond the range of a double', withNumber('1e400'), 'tracker.deep'],
    ['a number below the range of a double', withNumber('-1e400'), 'tracker.deep'],
    ['a Run that is too large to be stored', settled({ problems: [{ ...problem, detail: long }] }), 'run'],
    ['a Change Report that is too large to be stored', reportWith({ changes: [long] }), 'change_report'],
  ])('refuses %s', (_, message, pointer) => {
    expect(pointsAt(message)).toEqual([pointer]);
  });

  it('accepts a record that fits into an item of the table, and refuses a larger one', () => {
    const room = 350 * 1024 - JSON.stringify(trackerWith({ note: '' }).tracker).length;

    expect(pointsAt(trackerWith({ note: 'x'.repeat(room) }))).toBeUndefined();
    expect(pointsAt(trackerWith({ note: 'x'.repeat(room + 1) }))).toEqual(['tracker']);
    expect(pointsAt(trackerWith({ note: 'é'.repeat(room / 2 + 1) }))).toEqual(['tracker']);
    // Measured as it is stored: half a surrogate pair has six bytes when it is written, and three when it is replaced.
    expect(pointsAt(trackerWith({ note: '\uD800'.repeat(room / 3) }))).toBeUndefined();
    expect(pointsAt(trackerWith({ note: '\uD800'.repeat(room / 3 + 1) }))).toEqual(['tracker']);
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

    expect(text).toBe(intakeSchemaFile());
  });

  it('the schema takes what the intake takes, and refuses the same characters but half a surrogate pair', () => {
    for (const { name, message } of acceptedMessages) expect(schema.safeParse(message).success, name).toBe(true);
    for (const { name, message, fault } of refusedMessages)
      if (/without U\+FFFE/.test(fault) && !/surrogate/.test(name))
        expect(schema.safeParse(message).success, name).toBe(false);
  });

  it('the patterns of the schema need no escapes, which differ between languages', () => {
    expect(intakeSchemaFile()).not.toMatch(/"pattern": ".*\\\\/);
  });

  it.each([{}, { customer_id: 'nobody' }, { run: { id: 'run_1' } }])('the schema refuses %j', (members) => {
    const message = { type: 'run.saved', ...members };

    expect(schema.safeParse(message).success).toBe(false);
  });
});
