import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { noteActivity } from '#shared/operations/customer/note-activity.ts';
import { countingBytes, createReports } from '../../../support/operations/deps.ts';
import { recordStore } from '../../../support/table/record-store.ts';
import { customerId, startOfTest, webhookId } from '../../../support/values/builders.ts';

const done = { customerId, webhookId, action: 'deleted', credentialId: 'aky_1', subjectId: null } as const;

/** A table that takes a turn of the event loop for each request. */
function createWorld(asked = () => {}) {
  const { table, records } = recordStore({
    io: async (_, effect) => {
      await nextTurn();
      asked();
      return effect(0);
    },
  });
  const { report, events } = createReports();
  const note = noteActivity({ table, now: () => startOfTest, randomBytes: countingBytes(), report });
  return { rows: () => records.rows(), note, events };
}

it('noteActivity() ends when the note is stored: after the answer, the process of a function may be frozen', async () => {
  const { rows, note, events } = createWorld();

  await note(done);

  expect(rows()).toMatchObject([{ action: 'deleted', credential: 'aky_1' }]);
  expect(events).toEqual([]);
});

it('noteActivity() reports a note that cannot be stored: what was done stays done', async () => {
  const cause = new Error('down');
  const { note, events } = createWorld(() => {
    throw cause;
  });

  await note(done);

  const subject = { customerId, webhookId };
  expect(events).toEqual([{ name: 'step.failed', step: 'note-activity', subject, cause }]);
});
