import { isCreatorKnown, readCreatorVideos } from '#shared/aws/table/results/videos.ts';
import type { ListQuery } from '#shared/contract/list-query.ts';
import { problem } from '#shared/contract/problem.ts';
import type { StoredVideo } from '#shared/contract/records/stored-results.ts';
import { type Creator, canonicalHandle, isHandle } from '#shared/domain/creator.ts';
import type { Needs } from '#shared/operations/needs.ts';
import { isEmptyList, type ListPage, readPage } from '#shared/operations/paging.ts';

type Deps = Pick<Needs, 'cursors' | 'table'> & { readonly supportedPlatforms: ReadonlySet<string> };

/** The stored videos of a creator, newest first. All spellings of a handle give the same list. */
export function listCreatorVideos({ cursors, supportedPlatforms, table }: Deps) {
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
      const rows = await readCreatorVideos(table, customerId, creator, page);
      if (isEmptyList(page, rows) && !(await isCreatorKnown(table, customerId, creator))) throw problem('not_found');
      return rows;
    });
  };
}

function unsupported(platforms: ReadonlySet<string>) {
  return problem('unsupported_platform', {
    detail: `Use a supported platform: ${[...platforms].join(', ')}`,
  });
}
