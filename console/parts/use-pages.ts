import { type Api, type ApiResponse, resultOf } from '../api/client.ts';
import { useSession } from '../session/session.ts';
import { type Known, type Listed, type Page, readOlder, withNewest, withOlder } from './pages.ts';
import { useMergedLoad } from './use-load.ts';

type PageQuery = { readonly cursor?: string };

export type Pages<T extends Listed> = ReturnType<typeof usePages<T>>;

/**
 * A list that grows page by page; a refresh renews the newest page and keeps the older ones.
 *
 * @param key names what is read
 * @param request reads a page; the query of the first one is empty
 * @param first what an earlier view read of the list
 */
export function usePages<T extends Listed>(
  key: string,
  request: (api: Api, query: PageQuery, signal: AbortSignal | null) => Promise<ApiResponse<Page<T>>>,
  first: Known<T> | null = null,
) {
  const { api } = useSession();
  const read = (query: PageQuery, signal: AbortSignal | null) => resultOf(request(api, query, signal));
  const load = useMergedLoad(key, (signal) => read({}, signal), withNewest<T>, first);
  /** From now on a refresh keeps what is there, such as the end to which a page is added, or what the reader ticked. */
  const hold = () => load.change((known) => ({ ...known, extended: true }));
  /** @returns how many were added @throws RequestFailed */
  const loadOlder = async () => {
    hold();
    const end = load.value?.next_cursor;
    if (end == null) return 0;
    const page = await readOlder(end, (cursor) => read({ cursor }, null));
    load.change((known) => (known.next_cursor === end ? withOlder(known, page) : known));
    return page.items.length;
  };
  /** Begins again with the newest. */
  const showNewest = async () => {
    load.change((known) => ({ ...known, extended: false }));
    await load.reload();
  };
  return { load, hold, loadOlder, showNewest };
}
