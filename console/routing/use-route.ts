import { useEffect, useState } from 'preact/hooks';
import { hrefOf, parseRoute, type Route } from './route.ts';

/** The view that the address names, also after the reader followed a link or went back. */
export function useRoute(): Route {
  const [fragment, setFragment] = useState(location.hash);
  useEffect(() => {
    const read = () => setFragment(location.hash);
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return parseRoute(fragment);
}

/** Whether the address names this view at the moment. */
export function isOpen(route: Route): boolean {
  return hrefOf(parseRoute(location.hash)) === hrefOf(route);
}

/** Opens another view. */
export function openView(route: Route): void {
  location.hash = hrefOf(route);
}

/** Opens another view after a request that begins now, unless the reader has gone on to another one by then. */
export function openLater(): (route: Route) => void {
  const { hash } = location;
  return (route) => {
    if (location.hash === hash) openView(route);
  };
}

/** Replaces the address of this view, without an entry in the history: a filter is not a place to go back to. */
export function replaceView(route: Route): void {
  location.replace(hrefOf(route));
}

/** Replaces the address of this view before anything else is rendered, so that no other view loads first. */
export function openAtOnce(route: Route): void {
  history.replaceState(null, '', hrefOf(route));
  const { href } = location;
  dispatchEvent(new HashChangeEvent('hashchange', { oldURL: href, newURL: href }));
}
