import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import type { ServiceAddress } from './client-settings.ts';
import { connectDynamodb } from './clients.ts';

type Row = Readonly<Record<string, unknown>>;

/** Reads a whole table. Only commands of the operator may: no function has permission to scan. */
export type TableScanner = {
  /** One page of a scan. `next` is the start of the following page, `null` after the last. */
  readonly scan: (
    input: Omit<ScanCommandInput, 'TableName'>,
  ) => Promise<{ readonly rows: readonly Row[]; readonly read: number; readonly next: Row | null }>;
  /** The size of the table, which DynamoDB updates every six hours. */
  readonly size: () => Promise<{ readonly bytes: number; readonly rows: number }>;
};

/** @param address replaces the endpoint, region and credentials of the environment */
export function connectScanner(tableName: string, address: ServiceAddress = {}): TableScanner {
  const bare = connectDynamodb(address);
  const documents = DynamoDBDocumentClient.from(bare);
  return {
    scan: async (input) => {
      const {
        Items = [],
        ScannedCount = Items.length,
        LastEvaluatedKey,
      } = await documents.send(new ScanCommand({ ...input, TableName: tableName }));
      return { rows: Items, read: ScannedCount, next: LastEvaluatedKey ?? null };
    },
    size: async () => {
      const { Table } = await bare.send(new DescribeTableCommand({ TableName: tableName }));
      return { bytes: Table?.TableSizeBytes ?? 0, rows: Table?.ItemCount ?? 0 };
    },
  };
}
