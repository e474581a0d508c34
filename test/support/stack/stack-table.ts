import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Table } from '#shared/aws/clients.ts';
import { tableClient } from '#shared/aws/table-client.ts';
import type { StackFile } from '../../../local/stack/stack-file.ts';
import { unexpected } from '../operations/deps.ts';

/**
 * The table of a running stack. Its client waits as long as the test does: the limits of the service's own clients
 * would fail a test because the machine is busy.
 */
export function stackTable(info: StackFile): Table {
  const client = new DynamoDBClient({
    endpoint: info.endpoints.dynamodb,
    region: info.region,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  return { client: tableClient(client), name: info.table_name, report: unexpected('report') };
}
