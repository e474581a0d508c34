import { problem } from '#shared/contract/problem.ts';
import type { Creator } from '#shared/domain/creator.ts';
import { type IdKind, isEngineId, isOwnId } from '#shared/domain/ids.ts';

type Path = Readonly<Record<string, string>>;

/** An id in the path. An id that this service cannot have made is `not_found` without a read. */
export function pathId(path: Path, name: string, kind: IdKind): string {
  const id = path[name] ?? '';
  if (!isOwnId(kind, id)) throw problem('not_found');
  return id;
}

/** The ids in the path of a delivery. */
export function deliveryPath(path: Path): { readonly webhookId: string; readonly id: string } {
  return { webhookId: pathId(path, 'id', 'webhook'), id: pathId(path, 'deliveryId', 'delivery') };
}

/** The ids in the path of a bulk replay. */
export function replayPath(path: Path): { readonly webhookId: string; readonly id: string } {
  return { webhookId: pathId(path, 'id', 'webhook'), id: pathId(path, 'replayId', 'bulkReplay') };
}

/** The id of a Run or a Tracker in the path. An id that no Run engine makes is `not_found` without a read. */
export function enginePathId(path: Path, kind: IdKind): string {
  const id = path.id ?? '';
  if (!isEngineId(kind, id)) throw problem('not_found');
  return id;
}

/**
 * The creator in the path. API Gateway may pass parameters undecoded. The intake takes no handle with a percent sign, so
 * decoding a handle twice does no harm.
 */
export function creatorPath({ platform = '', handle = '' }: Path): Creator {
  return { platform, handle: decoded(handle) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
