import type { Table } from '#shared/aws/clients.ts';
import type { SettledRun } from '#shared/contract/records/given-results.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import type { RunForm } from '#shared/domain/run-forms.ts';
import { expiryNow, keptStatement } from '../expiry.ts';
import { insertion, type Statement } from '../grouped-writes.ts';
import { runKey } from '../keys.ts';
import { toRunPlace, toRunText } from './run-item.ts';

/**
 * Settles a Run of this form with the fan-out of its event. Refused for a Run of any other form, or that has expired. A
 * saved Run keeps its place in the list of Runs, which its first message decided.
 */
export function settleStatement(
  { name, retention }: Table,
  form: RunForm,
  customerId: string,
  run: SettledRun,
  fanOut: FanOut,
): Statement {
  const { pk, sk } = runKey(customerId, run.id);
  const set = { settled: toRunText(run), fan_out: fanOut, ...expiryNow(retention) };
  if (form === 'new') return insertion(name, { pk, sk, ...set, ...toRunPlace(customerId, run) });
  const assignments = Object.keys(set).map((attribute) => `${attribute} = ?`);
  const kept = keptStatement(retention);
  return {
    text: `UPDATE "${name}" SET ${assignments.join(', ')} REMOVE "open" WHERE pk = ? AND sk = ? AND settled IS MISSING AND fan_out IS MISSING AND ${kept.condition}`,
    values: [...Object.values(set), pk, sk, ...kept.values],
  };
}
