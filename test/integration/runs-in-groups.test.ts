import { describe, expect, it } from 'vitest';
import type { Table } from '#shared/aws/clients.ts';
import { groupWrites } from '#shared/aws/table/grouped-requests.ts';
import { runKey } from '#shared/aws/table/keys.ts';
import { readRun, storeOpenRun, storeSettledRunWithFanOut } from '#shared/aws/table/results/runs.ts';
import { type RunForm, RunForms } from '#shared/domain/run-forms.ts';
import { losingTable } from '../support/aws/losing-table.ts';
import { useTable } from '../support/aws/table.ts';
import { customerId, startOfTest } from '../support/values/builders.ts';
import { buildOpenRun, buildSettledRun, isoTime } from '../support/values/stored-results.ts';

const { current } = useTable();

const ids = (prefix: string, length: number) => Array.from({ length }, (_, number) => `${prefix}_${number}`);

/** A connection that counts its writes of Runs, with writes in groups as the intake has them. */
function connect(retention?: Table['retention'], table: Table = current()) {
  const sent: string[] = [];
  const client: Table['client'] = {
    ...table.client,
    update: (input) => {
      sent.push('alone');
      return table.client.update(input);
    },
    executeBatch: (input) => {
      sent.push(`${input.Statements?.length} together`);
      return table.client.executeBatch(input);
    },
  };
  const counted: Table = { ...table, client, ...(retention && { retention }) };
  const runs = { write: groupWrites(counted), forms: new RunForms() };
  return { table: { ...counted, groups: { runs } }, take: () => sent.splice(0) };
}

const save = (table: Table, id: string) => storeOpenRun(table, customerId, buildOpenRun({ id }));

const settle = (table: Table, id: string, eventId = `evt_${id}`) =>
  storeSettledRunWithFanOut(table, customerId, buildSettledRun({ id }), {
    eventId,
    acceptedAt: startOfTest,
    deliveries: [{ webhookId: 'whe_1', deliveryId: 'whd_1' }],
  });

/** Settles Runs of a form, one after the other, until the next ones are expected to have it. */
async function settleAlike({ table, take }: ReturnType<typeof connect>, form: RunForm): Promise<void> {
  for (const id of ids('earlier', 8)) {
    if (form === 'saved') await save(table, id);
    await settle(table, id);
  }
  take();
}

const keptFor = (days: number | null) => ({ now: () => startOfTest, days });

describe.each<RunForm>(['new', 'saved'])('after eight Runs that were %s when they settled', (form) => {
  it.each([undefined, keptFor(null), keptFor(30)])(
    'Runs settle together, and are stored as if each was written alone (retention %j)',
    async (retention) => {
      const connection = connect(retention);
      const { table, take } = connection;
      await settleAlike(connection, form);
      const together = ids('together', 10);
      if (form === 'saved') await Promise.all(together.map((id) => save(table, id)));
      take();

      const settled = await Promise.all(together.map((id) => settle(table, id)));

      expect(take()).toEqual(['10 together']);
      expect(settled.map(({ fanOut }) => fanOut.eventId)).toEqual(together.map((id) => `evt_${id}`));
      const rows = await Promise.all(
        ['earlier_0', 'together_0'].map((id) => current().readItem(runKey(customerId, id))),
      );
      const [alone, grouped] = rows.map((row) => JSON.stringify(row).replaceAll(/(earlier|together)_0/g, '…'));
      expect(JSON.parse(grouped ?? '')).toEqual(JSON.parse(alone ?? ''));
      expect(rows[1]).toMatchObject({ settled: expect.any(String), fan_out: { eventId: 'evt_together_0' } });
    },
  );

  it('a Run of the other form is settled alone, and so is the next one', async () => {
    const connection = connect();
    const { table, take } = connection;
    await settleAlike(connection, form);
    if (form === 'new') await save(table, 'run_other');
    take();

    const { fanOut } = await settle(table, 'run_other');
    expect([fanOut.eventId, take()]).toEqual(['evt_run_other', ['1 together', 'alone']]);
    await settle(table, 'run_next');

    expect(take()).toEqual(['alone']);
    expect(await readRun(table, customerId, 'run_other')).toMatchObject({ status: 'completed' });
  });

  it('a repeat finds the first fan-out, also when the answer was lost', async () => {
    const { table: lossy, lost } = losingTable(current(), 'BatchExecuteStatement');
    const connection = connect(undefined, lossy);
    const { table, take } = connection;
    await settleAlike(connection, form);
    if (form === 'saved') await save(table, 'run_1');
    take();

    const first = await settle(table, 'run_1', 'evt_first');
    const again = await settle(table, 'run_1', 'evt_again');

    expect([first.fanOut.eventId, again, lost()]).toEqual(['evt_first', first, 1]);
  });

  it('a Run that has expired is replaced, settled or not', async () => {
    // Since the beginning of this second.
    const old = { ...current(), retention: { now: () => startOfTest - 86_400_500, days: 1 } };
    await settle(old, 'run_settled', 'evt_old');
    await storeOpenRun(old, customerId, buildOpenRun({ id: 'run_open', created_at: isoTime(-1_000) }));
    const connection = connect(keptFor(1));
    const { table, take } = connection;
    await settleAlike(connection, form);

    const settled = await Promise.all(['run_settled', 'run_open'].map((id) => settle(table, id)));

    expect(settled.map(({ fanOut }) => fanOut.eventId)).toEqual(['evt_run_settled', 'evt_run_open']);
    expect(take()[0]).toBe('2 together');
    expect(await readRun(table, customerId, 'run_open')).toMatchObject({ created_at: isoTime() });
  });
});
