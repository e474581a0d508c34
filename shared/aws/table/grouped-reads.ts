import type { TableClient } from '#shared/aws/table-client.ts';
import { inGroups } from './in-groups.ts';
import type { ItemKey } from './keys.ts';

/** DynamoDB reads at most this many items in a call. */
const maxKeys = 100;

type Connection = { readonly client: Pick<TableClient, 'batchGet'>; readonly name: string };
type Row = Readonly<Record<string, unknown>>;

/**
 * @param onSent called when the request leaves, each time that it is tried
 * @returns `null` when the item was not found in a group: read it alone, which decides
 */
export type GroupedRead = (key: ItemKey, onSent?: () => void) => Promise<Row | null>;

type Asked = { readonly key: ItemKey; readonly onSent: (() => void) | undefined };

/** Reads items in one request, strongly consistent, each at the price that it has alone. */
export function groupReads({ client, name }: Connection): GroupedRead {
  const read = inGroups(maxKeys, async (asked: readonly Asked[]) => {
    const keys = asked.map(({ key }) => key);
    const onSent = () => {
      for (const each of asked) each.onSent?.();
    };
    const { Responses = {} } = await client.batchGet(
      { RequestItems: { [name]: { Keys: keys, ConsistentRead: true } } },
      { onSent },
    );
    const rows = Responses[name] ?? [];
    return keys.map(({ pk, sk }) => rows.find((row) => row.pk === pk && row.sk === sk) ?? null);
  });
  return (key, onSent) => read(key, { key, onSent });
}
