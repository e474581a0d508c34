import { useRef } from 'preact/hooks';
import { type Api, type ApiResponse, resultOf } from '../api/client.ts';
import { useSession } from '../session/session.ts';
import { type Known, type Listed, type Page, withNewest, withOlder } from './pages.ts';
import { useMergedLoad } from './use-load.ts';

type PageQuery = { readonly cursor?: string };

export type Pages<T extends Listed> = ReturnType<typeof usePages<T>>;

/** With filters, a page can be empty although there are older matches. At most this number is read at once. */
const emptyPages = 4;

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
  const shown = useRef<Known<T>>(null);
  shown.current = load.value;
  /** Reads on until there is something to add. @returns how many were added @throws RequestFailed */
  const loadOlder = async () => {
    // From now on a refresh keeps the end of the list, to which the pages are added.
    load.change((known) => ({ ...known, extended: true }));
    let cursor = shown.current?.next_cursor ?? null;
    for (let count = 0; cursor !== null && count < emptyPages; count += 1) {
      const from: string = cursor;
      const page = await read({ cursor: from }, null);
      load.change((known) => (known.next_cursor === from ? withOlder(known, page) : known));
      if (page.items.length > 0) return page.items.length;
      cursor = page.next_cursor;
    }
    return 0;
  };
  /** Begins again with the newest. */
  const showNewest = async () => {
    load.change((known) => ({ ...known, extended: false }));
    await load.reload();
  };
  return { load, loadOlder, showNewest };
}
