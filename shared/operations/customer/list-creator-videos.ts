import type { ListQuery, Page } from '#shared/contract/list-query.ts';
import { problem } from '#shared/contract/problem.ts';
import type { VideoRecord } from '#shared/contract/records/video.ts';
import { type Creator, canonicalHandle, isHandle } from '#shared/domain/creator.ts';
import { type Cursors, type Rows, readPage } from './paging.ts';

/** Reads the stored videos of a creator by the time they were posted, newest first. */
export type ReadCreatorVideos = (
  customerId: string,
  creator: Creator,
  page: { readonly after: string | null; readonly limit: number },
) => Promise<Rows<VideoRecord>>;

/** Whether anything was ever stored of a creator for this customer, be it an empty list. */
export type IsCreatorKnown = (customerId: string, creator: Creator) => Promise<boolean>;

type Deps = {
  readonly supportedPlatforms: ReadonlySet<string>;
  readonly readCreatorVideos: ReadCreatorVideos;
  readonly isCreatorKnown: IsCreatorKnown;
  readonly cursors: Cursors;
};

/** The stored videos of a creator, newest first. However a handle is written, it is the same list. */
export function listCreatorVideos(deps: Deps) {
  return async (
    customerId: string,
    { platform, handle: written }: Creator,
    query: ListQuery,
  ): Promise<Page<VideoRecord>> => {
    if (!deps.supportedPlatforms.has(platform)) throw unsupported(deps.supportedPlatforms);
    if (!isHandle(written)) throw problem('not_found');
    const handle = canonicalHandle(written);
    return readPage(
      deps.cursors,
      ['creator-videos', customerId, platform, handle],
      query,
      async (page) => {
        const found = await deps.readCreatorVideos(customerId, { platform, handle }, page);
        const mayBeUnknown = page.after === null && found.rows.length === 0 && found.next === null;
        if (mayBeUnknown && !(await deps.isCreatorKnown(customerId, { platform, handle }))) {
          throw problem('not_found');
        }
        return found;
      },
      (video) => video,
    );
  };
}

function unsupported(platforms: ReadonlySet<string>) {
  return problem('unsupported_platform', { detail: `Supported are ${[...platforms].join(', ')}` });
}
