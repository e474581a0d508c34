import { problem } from '#shared/contract/problem.ts';
import { type IdKind, isOwnId } from '#shared/domain/ids.ts';

/** An id in the path. An id that this service cannot have made is `not_found` without a read. */
export function pathId(path: Readonly<Record<string, string>>, name: string, kind: IdKind): string {
  const id = path[name] ?? '';
  if (!isOwnId(kind, id)) throw problem('not_found');
  return id;
}

/** The ids in the path of a delivery. */
export function deliveryPath(path: Readonly<Record<string, string>>): {
  readonly webhookId: string;
  readonly id: string;
} {
  return { webhookId: pathId(path, 'id', 'webhook'), id: pathId(path, 'deliveryId', 'delivery') };
}

/** The ids in the path of a bulk replay. */
export function replayPath(path: Readonly<Record<string, string>>): {
  readonly webhookId: string;
  readonly id: string;
} {
  return { webhookId: pathId(path, 'id', 'webhook'), id: pathId(path, 'replayId', 'bulkReplay') };
}
