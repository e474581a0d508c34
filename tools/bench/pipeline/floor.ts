import type { SeedTarget } from '../../local/stack/seed.ts';
import { createServiceClient } from '../../local/stack/service-client.ts';
import { spreadOf } from '../figures.ts';

const [warmUps, writes] = [200, 600] as const;

/**
 * The least that a call of the table takes on this machine, now: its median, and the CPU time of the client and the
 * table. Writes one small row after the other, without the SDK. Nothing else may be at work.
 */
export async function measureFloor({ tableName, dynamodbUrl }: SeedTarget) {
  const dynamodb = createServiceClient('dynamodb', dynamodbUrl);
  const Item = { pk: { S: 'BENCH' }, sk: { S: 'FLOOR' }, text: { S: 'x'.repeat(300) } };
  const write = () => dynamodb.call('PutItem', { TableName: tableName, Item });
  try {
    for (let count = 0; count < warmUps; count += 1) await write();
    const before = process.cpuUsage();
    const times: number[] = [];
    for (let count = 0; count < writes; count += 1) {
      const startedAt = performance.now();
      await write();
      times.push(performance.now() - startedAt);
    }
    const { user, system } = process.cpuUsage(before);
    return { ms: spreadOf(times).p50, cpuMs: (user + system) / 1_000 / writes };
  } finally {
    dynamodb.close();
  }
}
