import type { SettledRun } from '#shared/contract/records/given-results.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import type { RunForm } from '#shared/domain/run-forms.ts';
import type { WritableTable } from '../../clients.ts';
import { expiryNow, expiryUpdate } from '../expiry.ts';
import { insertion, type Statement } from '../grouped-writes.ts';
import { runKey } from '../keys.ts';
import { toRunPlace, toRunText } from './run-item.ts';

const { expiresAt } = tableSchema;

/** Settles a Run of this form with the fan-out of its event. Refused for a Run of any other form, or that has expired. */
export function settleStatement(
  { name, retention }: WritableTable,
  form: RunForm,
  customerId: string,
  run: SettledRun,
  fanOut: FanOut,
): Statement {
  const { pk, sk } = runKey(customerId, run.id);
  const settled = { settled: toRunText(run), fan_out: fanOut };
  if (form === 'new')
    return insertion(name, { pk, sk, ...settled, ...toRunPlace(customerId, run), ...expiryNow(retention) });
  // The first message about a Run gave it a place in the list of Runs.
  const expiry = Object.values(expiryUpdate(retention).values);
  const [set, isKept, now] =
    retention === undefined || expiry.length === 0
      ? ['', `${expiresAt} IS MISSING`, []]
      : [
          `, ${expiresAt} = ?`,
          `(${expiresAt} IS MISSING OR ${expiresAt} > ?)`,
          [Math.floor(retention.now() / 1000)],
        ];
  return {
    text: `UPDATE "${name}" SET settled = ?, fan_out = ?${set} REMOVE "open" WHERE pk = ? AND sk = ? AND settled IS MISSING AND fan_out IS MISSING AND ${isKept}`,
    values: [...Object.values(settled), ...expiry, pk, sk, ...now],
  };
}
