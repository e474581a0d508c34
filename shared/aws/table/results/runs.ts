import type { UpdateCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import type { OpenRun, SettledRun } from '#shared/contract/records/given-results.ts';
import type { StoredRun, StoredSettledRun } from '#shared/contract/records/stored-results.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import type { FanOut } from '#shared/domain/fan-out.ts';
import type { Retention } from '#shared/domain/retention.ts';
import type { RunForm } from '#shared/domain/run-forms.ts';
import type { PageRequest, Rows } from '#shared/operations/paging.ts';
import { isRefused, putIf, type Refused, type UpdateInput, updateIf } from '../conditional-write.ts';
import {
  expiryNow,
  expiryUpdate,
  expiryUpdateIfNew,
  keptStatement,
  metExpired,
  onlyExpired,
  refusingExpired,
} from '../expiry.ts';
import { insertion, type Statement } from '../grouped-requests.ts';
import { runKey, runsPartition } from '../keys.ts';
import { readRow } from '../stored-row.ts';
import { readListed } from './result-pages.ts';
import { fromRunItem, fromSettledItem, fromToldItem, toRunPlace, toRunText } from './run-item.ts';

const { listed } = tableSchema.indexes;

const isUnsettled = 'attribute_not_exists(settled)';
/** The number of Change Reports keeps the item of a Run small, whatever the engine sends. */
const maxNamedReports = 100;
const isUnsettledOrNamesNot =
  '(attribute_not_exists(settled) OR attribute_not_exists(change_reports) OR (NOT contains(change_reports, :report) AND size(change_reports) < :max))';
const isUnknown = 'attribute_not_exists(#open)';

/** Strongly consistent; `null` when the customer has no Run with this id. */
export function readRun(table: Table, customerId: string, runId: string): Promise<StoredRun | null> {
  return readRow(table, runKey(customerId, runId), fromRunItem);
}

/** Reads a customer's Runs by the time they were created, newest first. */
export function readRuns(table: Table, customerId: string, page: PageRequest): Promise<Rows<StoredRun>> {
  return readListed(table, runsPartition(customerId, 0), page, fromRunItem);
}

/** Stores a Run that is queued or running; a settled one stays unchanged, and a running one does not become queued again. */
export async function storeOpenRun(table: Table, customerId: string, run: OpenRun): Promise<void> {
  const { retention } = table;
  const { expression, values } = placeValues(customerId, run);
  const { set, removed, values: expiryValues } = expiryUpdate(retention);
  const input: UpdateInput = {
    Key: runKey(customerId, run.id),
    UpdateExpression: `SET #open = :run, ${expression}${set}${removed.length === 0 ? '' : ` REMOVE ${removed.join(', ')}`}`,
    ConditionExpression: run.status === 'running' ? isUnsettled : `${isUnsettled} AND ${isUnknown}`,
    ExpressionAttributeNames: { '#open': 'open' },
    ExpressionAttributeValues: { ':run': toRunText(run), ...values, ...expiryValues },
    ...(retention === undefined ? {} : { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
  };
  await writeRun(table, input, customerId, run, { open: toRunText(run) });
}

type Written = Pick<UpdateCommandOutput, 'Attributes'>;

/**
 * Writes a Run. A Run that has expired is replaced, as if DynamoDB had removed it.
 *
 * @param state the attributes of a Run that is stored for the first time, beside its place and its expiry
 */
async function writeRun(
  table: Table,
  input: UpdateInput,
  customerId: string,
  run: OpenRun | SettledRun,
  state: Readonly<Record<string, unknown>>,
): Promise<Written | Refused> {
  const { retention } = table;
  if (retention === undefined) return updateIf(table, input);
  const guarded = refusingExpired(input, retention);
  const result = await updateIf(table, guarded);
  if (!isRefused(result) || !metExpired(result, retention)) return result;
  const { condition, values } = onlyExpired(retention);
  const place = toRunPlace(customerId, run);
  const replaced = await putIf(table, {
    Item: { ...runKey(customerId, run.id), ...state, ...place, ...expiryNow(retention) },
    ConditionExpression: condition,
    ExpressionAttributeValues: values,
  });
  // Another message replaced it, or DynamoDB removed it: the first write then meets what it expects.
  return isRefused(replaced) ? updateIf(table, guarded) : replaced;
}

/**
 * Settles a Run unless it is settled.
 *
 * @param reportId the Change Report that the Run wrote; the Run then names it, so that its event is found by the Run
 * @returns the settled Run as stored
 */
export async function storeSettledRun(
  table: Table,
  customerId: string,
  run: SettledRun,
  reportId?: string,
): Promise<StoredSettledRun> {
  const result = await settle(table, customerId, run, null, reportId);
  return isRefused(result) ? fromSettledItem(result.item) : (settledBefore(result) ?? run);
}

/**
 * Settles a Run, and names its Change Report, by which the event about the report is found. A Run that is settled keeps
 * its expiry, so that it does not outlive the deliveries of its own event.
 */
function reportInput(
  customerId: string,
  run: SettledRun,
  reportId: string,
  retention: Retention | undefined,
): UpdateInput {
  const input = settleInput(customerId, run, null, retention, 'if new');
  return {
    ...input,
    UpdateExpression: `${input.UpdateExpression} ADD change_reports :reports`,
    ConditionExpression: isUnsettledOrNamesNot,
    ExpressionAttributeValues: {
      ...input.ExpressionAttributeValues,
      ':report': reportId,
      ':reports': new Set([reportId]),
      ':max': maxNamedReports,
    },
  };
}

/** Settles a Run together with the fan-out of its event, unless it has one. @returns both as stored */
export async function storeSettledRunWithFanOut(
  table: Table,
  customerId: string,
  run: SettledRun,
  fanOut: FanOut,
): Promise<{ readonly run: StoredSettledRun; readonly fanOut: FanOut }> {
  if (await settleInGroup(table, customerId, run, fanOut)) return { run, fanOut };
  const result = await settle(table, customerId, run, fanOut);
  if (isRefused(result)) return fromToldItem(result.item);
  const wasSaved = result.Attributes?.[listed.partitionKey] !== undefined;
  table.groups?.runs?.forms.note(wasSaved ? 'saved' : 'new');
  return { run: settledBefore(result) ?? run, fanOut };
}

/** A Run that is refused in a group is decided alone. */
async function settleInGroup(table: Table, customerId: string, run: SettledRun, fanOut: FanOut): Promise<boolean> {
  const { runs } = table.groups ?? {};
  const form = runs?.forms.expected ?? null;
  if (runs === undefined || form === null) return false;
  const statement = settleStatement(table, form, customerId, run, fanOut);
  return (await runs.write(runKey(customerId, run.id), statement)) !== null;
}

/**
 * Settles a Run of this form with the fan-out of its event. Refused for a Run of any other form, or that has expired. A
 * saved Run keeps its place in the list of Runs, which its first message decided.
 */
function settleStatement(
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

function settle(
  table: Table,
  customerId: string,
  run: SettledRun,
  fanOut: FanOut | null,
  reportId?: string,
): Promise<Written | Refused> {
  const { retention } = table;
  const input =
    reportId === undefined
      ? settleInput(customerId, run, fanOut, retention)
      : reportInput(customerId, run, reportId, retention);
  return writeRun(table, input, customerId, run, {
    settled: toRunText(run),
    ...(fanOut === null ? {} : { fan_out: fanOut }),
    ...(reportId === undefined ? {} : { change_reports: new Set([reportId]) }),
  });
}

/** The settled Run that an earlier message stored; the write keeps it. */
function settledBefore({ Attributes }: Written): StoredSettledRun | null {
  return Attributes?.settled === undefined ? null : fromSettledItem(Attributes);
}

function settleInput(
  customerId: string,
  run: SettledRun,
  fanOut: FanOut | null,
  retention?: Retention,
  expires: 'always' | 'if new' = 'always',
): UpdateInput {
  const { expression, values } = placeValues(customerId, run);
  const update = expires === 'always' ? expiryUpdate : expiryUpdateIfNew;
  const { set, removed, values: expiryValues } = update(retention);
  return {
    Key: runKey(customerId, run.id),
    UpdateExpression: `SET settled = if_not_exists(settled, :run), ${expression}${fanOut === null ? '' : ', fan_out = :fan_out'}${set} REMOVE ${['#open', ...removed].join(', ')}`,
    ConditionExpression: fanOut === null ? isUnsettled : 'attribute_not_exists(fan_out)',
    ExpressionAttributeNames: { '#open': 'open' },
    ExpressionAttributeValues: {
      ':run': toRunText(run),
      ...values,
      ...(fanOut === null ? {} : { ':fan_out': fanOut }),
      ...expiryValues,
    },
    // Nothing on the ordinary path, where the written values are known.
    ReturnValues: 'UPDATED_OLD',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

function placeValues(customerId: string, run: OpenRun | SettledRun) {
  const place = toRunPlace(customerId, run);
  return {
    expression: `${listed.partitionKey} = if_not_exists(${listed.partitionKey}, :listed_pk), ${listed.sortKey} = if_not_exists(${listed.sortKey}, :listed_sk)`,
    values: { ':listed_pk': place[listed.partitionKey], ':listed_sk': place[listed.sortKey] },
  };
}
