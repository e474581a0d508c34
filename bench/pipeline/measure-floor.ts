import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createServiceClient } from '../../local/stack/service-client.ts';
import type { BenchStack } from '../support/bench-stack.ts';
import type { Parties } from '../support/parties.ts';
import { type Floor, type FloorRequest, floorSchema } from './floor-figures.ts';

const tableName = 'bench-floor';
const program = fileURLToPath(new URL('./floor-main.ts', import.meta.url));

/** Measures the floor in a process of its own, against the emulator and the endpoints that the service uses too. */
export type MeasureFloor = (signal: AbortSignal) => Promise<Floor>;

/** Creates the table that the writes of the floor go to. */
export async function prepareFloor(
  { stack: { info } }: BenchStack,
  { origin, stateDir }: Parties,
): Promise<MeasureFloor> {
  await createTable(info.endpoints.dynamodb);
  const request: FloorRequest = {
    dynamodbUrl: info.endpoints.dynamodb,
    tableName,
    region: info.region,
    endpointUrl: `${origin}/floor`,
  };
  return async (signal) => {
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(stateDir, 'tls', 'ca.pem') };
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [program, JSON.stringify(request)], { env, signal });
    return floorSchema.parse(JSON.parse(stdout));
  };
}

async function createTable(dynamodbUrl: string): Promise<void> {
  const { call, close } = createServiceClient('dynamodb', dynamodbUrl);
  try {
    await call('CreateTable', {
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    });
  } finally {
    close();
  }
}
