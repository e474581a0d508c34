import type { ListQuery } from '#shared/contract/list-query.ts';
import { problem } from '#shared/contract/problem.ts';
import type { StoredVideo } from '#shared/contract/records/stored-results.ts';
import { type Creator, canonicalHandle, isHandle } from '#shared/domain/creator.ts';
import {
  type Cursors,
  isEmptyList,
  type ListPage,
  type PageRequest,
  type Rows,
  readPage,
} from '#shared/operations/paging.ts';

/** Reads the stored videos of a creator by the time they were posted, newest first. */
export type ReadCreatorVideos = (
  customerId: string,
  creator: Creator,
  page: PageRequest,
) => Promise<Rows<StoredVideo>>;

/** Whether a list of this creator, even an empty one, was ever stored for this customer. */
export type IsCreatorKnown = (customerId: string, creator: Creator) => Promise<boolean>;

type Deps = {
  readonly cursors: Cursors;
  readonly supportedPlatforms: ReadonlySet<string>;
  readonly readCreatorVideos: ReadCreatorVideos;
  readonly isCreatorKnown: IsCreatorKnown;
};

/** The stored videos of a creator, newest first. All spellings of a handle give the same list. */
export function listCreatorVideos({ cursors, supportedPlatforms, readCreatorVideos, isCreatorKnown }: Deps) {
  return async (
    customerId: string,
    { platform, handle: written }: Creator,
    query: ListQuery,
  ): Promise<ListPage<StoredVideo>> => {
    if (!supportedPlatforms.has(platform)) throw unsupported(supportedPlatforms);
    if (!isHandle(written)) throw problem('not_found');
    const creator = { platform, handle: canonicalHandle(written) };
    const scope = ['creator-videos', customerId, platform, creator.handle];
    return readPage(cursors, scope, query, async (page) => {
      const rows = await readCreatorVideos(customerId, creator, page);
      if (isEmptyList(page, rows) && !(await isCreatorKnown(customerId, creator))) throw problem('not_found');
      return rows;
    });
  };
}

function unsupported(platforms: ReadonlySet<string>) {
  return problem('unsupported_platform', {
    detail: `Use a supported platform: ${[...platforms].join(', ')}`,
  });
}
