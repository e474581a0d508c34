import * as z from 'zod';
import type { CallService } from '../../../tools/local/stack/service-client.ts';

/** A row as DynamoDB returns it, with the types of its values: `{ "pk": { "S": "…" } }`. */
export const rawRow = z.record(z.string(), z.record(z.string(), z.unknown()));
export type RawRow = z.infer<typeof rawRow>;

const page = z.object({
  Items: z.array(rawRow),
  LastEvaluatedKey: z.record(z.string(), z.unknown()).optional(),
});

/** Every row of a table. */
export async function scanTable(call: CallService, TableName: string): Promise<readonly RawRow[]> {
  const rows: RawRow[] = [];
  let from: object | undefined;
  do {
    const input = { TableName, ...(from && { ExclusiveStartKey: from }) };
    const { Items, LastEvaluatedKey } = page.parse(await call('Scan', input));
    rows.push(...Items);
    from = LastEvaluatedKey;
  } while (from !== undefined);
  return rows;
}
