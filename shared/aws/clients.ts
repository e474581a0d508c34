import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** A table and the client that reaches it; what every function in `table/` works on. */
export type Table = { readonly client: DynamoDBDocumentClient; readonly name: string };

/**
 * Made once per process, at module scope of a handler, so that its connections are kept over invocations.
 *
 * @param name the table's name
 */
export function connectTable(name: string): Table {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}), {
    marshallOptions: { removeUndefinedValues: true },
  });
  return { client, name };
}
