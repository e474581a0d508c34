import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { localAddress } from '#shared/aws/client-settings.ts';
import type { Table } from '#shared/aws/clients.ts';
import { tableClient } from '#shared/aws/table-client.ts';
import type { StackFile } from '../../../tools/local/stack/stack-file.ts';
import { unexpected } from '../operations/deps.ts';

/**
 * A client of a running stack's database. It waits as long as the test does: the limits of the service's own clients
 * would fail a test because the machine is busy.
 */
export function stackDynamodb(info: StackFile): DynamoDBClient {
  return new DynamoDBClient(localAddress(info.endpoints.dynamodb, info.region));
}

export function stackTable(info: StackFile): Table {
  return { client: tableClient(stackDynamodb(info)), name: info.table_name, report: unexpected('report') };
}
