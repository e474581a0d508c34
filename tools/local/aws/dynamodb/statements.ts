import { AwsError } from '../aws-api.ts';
import { type Item, validationError } from './attribute-value.ts';
import { meets } from './expressions/evaluate.ts';
import { Scope, statements } from './expressions/scope.ts';
import type { Input } from './inputs.ts';
import { type FindTable, type Planned, planChanges, planPut, splitWhere } from './writes.ts';

/** What one statement of a batch does, and what is answered to it. */
export function planStatement(
  findTable: FindTable,
  input: Input<'BatchExecuteStatement'>['Statements'][number],
): Planned & { readonly answer: Answered } {
  const { tree: statement, placeholders } = statements(input.Statement);
  const { Parameters = [] } = input;
  if (placeholders.size !== Parameters.length)
    throw validationError("Number of parameters in request and statement don't match.");
  const values = Object.fromEntries(Parameters.map((value, index) => [`:${index}`, value]));
  const scope = new Scope({ ExpressionAttributeValues: values });
  const table = findTable(statement.table);
  if (statement.kind === 'INSERT') {
    const item = Object.fromEntries([...statement.item].map(([name, value]) => [name, scope.value(value)]));
    const planned = planPut(table, { Item: item });
    if (planned.before === undefined) return { ...planned, answer: {} };
    const answer = refusal('DuplicateItem', 'Duplicate primary key exists in table');
    return { ...planned, after: planned.before, answer };
  }
  const { key, rest } = splitWhere(statement.where, table.names, scope);
  const place = table.keyPlace(key);
  const before = table.rows.get(place);
  if (before === undefined || !rest.every((part) => meets(part, before, scope))) {
    const answer = refusal('ConditionalCheckFailed', 'The conditional request failed');
    return { table, place, before, after: before, changed: [], answer };
  }
  const planned = planChanges(table, place, { key, before, changes: statement.changes, scope });
  return { ...planned, answer: statement.returnsNew && planned.after ? { Item: planned.after } : {} };
}

/** The answer to one statement of a batch. */
type Answered = {
  readonly Error?: { readonly Code: RefusalCode; readonly Message: string };
  readonly Item?: Item;
};
type RefusalCode = 'ConditionalCheckFailed' | 'DuplicateItem' | 'ValidationError' | 'ResourceNotFound';

const refusal = (Code: RefusalCode, Message: string): Answered => ({ Error: { Code, Message } });

/** The answer to a statement that is refused for itself. */
export function refusalOf(error: unknown): Answered {
  if (error instanceof AwsError) {
    if (error.code === 'ValidationException') return refusal('ValidationError', error.message);
    if (error.code === 'ResourceNotFoundException') return refusal('ResourceNotFound', error.message);
  }
  throw error;
}
