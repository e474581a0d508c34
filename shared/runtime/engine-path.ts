import { problem } from '#shared/contract/problem.ts';
import type { Creator } from '#shared/domain/creator.ts';
import { isEngineId } from '#shared/domain/engine-id.ts';
import type { IdKind } from '#shared/domain/ids.ts';

type Path = Readonly<Record<string, string>>;

/** The id of a Run or a Tracker in the path. An id that no Run engine makes is `not_found` without a read. */
export function enginePathId(path: Path, kind: IdKind): string {
  const id = path.id ?? '';
  if (!isEngineId(kind, id)) throw problem('not_found');
  return id;
}

/**
 * The creator in the path. API Gateway may pass parameters undecoded. No platform has handles with a percent sign, so
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
