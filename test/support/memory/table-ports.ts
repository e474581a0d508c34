import { waitingShards } from '#shared/aws/table/keys.ts';
import type { Retention } from '#shared/domain/retention.ts';
import { accessPorts, type Warm } from './access.ts';
import { attemptPorts } from './attempts.ts';
import { auditPorts } from './audit-reads.ts';
import { bulkReplayPorts } from './bulk-replays.ts';
import { deliveryPorts } from './deliveries.ts';
import { endpointPorts } from './endpoints.ts';
import { type AskTable, askTable, type Io, immediateIo } from './io.ts';
import { MemoryTable } from './memory-table.ts';
import type { TableNeeds } from './needs.ts';
import { requestPorts } from './requests.ts';
import { runPorts } from './runs.ts';
import { waitingPorts } from './waiting.ts';

type Settings = {
  readonly shards?: number;
  readonly retention?: Retention;
  readonly warm?: Warm;
};

/** Rows are kept. */
const keeping: Retention = { now: () => 0, days: null };
const cold = (): Warm => ({ known: new Map(), now: () => 0, monotonic: () => 0 });

function models(
  table: MemoryTable,
  ask: AskTable,
  { shards = waitingShards, retention = keeping, warm = cold() }: Settings,
) {
  return {
    ...deliveryPorts(table, ask, retention),
    ...attemptPorts(table, ask),
    ...waitingPorts(table, ask, shards),
    ...auditPorts(table, ask),
    ...endpointPorts(table, ask),
    ...requestPorts(table, ask),
    ...runPorts(table, ask),
    ...bulkReplayPorts(table, ask, retention),
    ...accessPorts(table, ask, warm),
  };
}

export type TablePorts = Pick<TableNeeds, keyof ReturnType<typeof models>> & {
  /** Operators create customers; a test needs only that one exists. */
  readonly addCustomer: (id: string) => Promise<void>;
};

/** The table ports of all operations, on a table in memory that answers at once. */
export function memoryTablePorts(
  table = new MemoryTable(() => 0),
  io: Io = immediateIo,
  settings: Settings = {},
): TablePorts {
  const addCustomer = async (id: string): Promise<void> => table.addCustomer(id);
  return { ...models(table, askTable(io), settings), addCustomer };
}
