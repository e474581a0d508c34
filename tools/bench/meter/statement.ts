import { z } from 'zod';
import { parseStatement } from '../../local/aws/dynamodb/expressions/parse.ts';
import type { Condition, Statement } from '../../local/aws/dynamodb/expressions/tree.ts';

/** A statement of a batch, as the meters and permission checks need it. */
type ReadStatement = {
  readonly kind: Statement['kind'];
  readonly table: string;
  /** The item that it inserts, or the attributes that the item has to equal, its key among them. */
  readonly item: Readonly<Record<string, unknown>>;
  /** The attributes that it sets. */
  readonly attributes: readonly string[];
};

const statement = z.object({ Statement: z.string(), Parameters: z.array(z.unknown()).default([]) });
const batch = z.looseObject({ Statements: z.array(statement) });

/** @throws AwsError for a statement that the local DynamoDB does not read */
export function readStatements(input: unknown): readonly ReadStatement[] {
  return batch.parse(input).Statements.map(({ Statement: text, Parameters }) => {
    const { tree } = parseStatement(text);
    const { kind, table } = tree;
    const named = kind === 'INSERT' ? [...tree.item] : equalitiesIn(tree.where);
    // The values are named by their position.
    const item = Object.fromEntries(named.map(([name, value]) => [name, Parameters[Number(value.slice(1))]]));
    const set = kind === 'INSERT' ? [] : tree.changes.filter((change) => change.kind === 'SET');
    return { kind, table, item, attributes: set.map(({ path }) => String(path[0])) };
  });
}

function equalitiesIn(condition: Condition): readonly (readonly [string, string])[] {
  if (condition.kind === 'and') return condition.parts.flatMap(equalitiesIn);
  const [left, right] = condition.kind === '=' ? condition.operands : [];
  return left && 'path' in left && right && 'value' in right ? [[String(left.path[0]), right.value]] : [];
}
