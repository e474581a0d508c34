import { waitingShards } from '#shared/aws/table/keys.ts';
import type { TablePorts } from '../support/table/table-ports.ts';

/** Overdue deliveries of all shards, oldest first. */
export async function overdueBefore(ports: TablePorts, before: number) {
  const shards = Array.from({ length: waitingShards }, (_, shard) => ports.listOverdue(shard, before, 100, null));
  return (await Promise.all(shards))
    .flatMap(({ overdue }) => overdue)
    .sort((one, other) => one.dueAt - other.dueAt || one.id.localeCompare(other.id));
}
