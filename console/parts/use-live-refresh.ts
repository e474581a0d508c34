import { useEffect, useRef } from 'preact/hooks';
import { refreshDelay } from '../api/request-limit.ts';
import { useSession } from '../session/session.ts';

/**
 * Refreshes a view while its tab is visible, as often as the request limit allows, and once when the reader returns
 * to the tab.
 *
 * @param requests number of requests of one refresh
 */
export function useLiveRefresh(refresh: () => Promise<void>, requests: number): void {
  const { api } = useSession();
  const latest = useRef(refresh);
  latest.current = refresh;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let left = false;
    const wait = () => {
      clearTimeout(timer);
      if (left || document.hidden) return;
      timer = setTimeout(run, refreshDelay(api.requestLimit(), requests));
    };
    const run = () => void latest.current().finally(wait);
    const onVisibility = () => (document.hidden ? clearTimeout(timer) : run());
    document.addEventListener('visibilitychange', onVisibility);
    wait();
    return () => {
      left = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, [api, requests]);
}
