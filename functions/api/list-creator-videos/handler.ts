import { listQuery, presentPage } from '#shared/contract/list-query.ts';
import { listCreatorVideos } from '#shared/operations/customer/list-creator-videos.ts';
import { setting } from '#shared/runtime/environment.ts';
import { creatorPath } from '#shared/runtime/path-id.ts';
import { cursors } from '../../wiring/cursors.ts';
import { customerQuery, table } from '../../wiring/customer-operation.ts';

const list = listCreatorVideos({
  cursors,
  supportedPlatforms: new Set(setting('supportedPlatforms').split(',')),
  table,
});

export const handler = customerQuery('listCreatorVideos', listQuery, async ({ customerId, path, query }) => {
  const page = await list(customerId, creatorPath(path), query);
  return presentPage(page, (video) => video);
});
