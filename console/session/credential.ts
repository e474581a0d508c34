/** Where the credential is while the console is open. */
export type Keeping = 'memory' | 'tab';

export type Given = { readonly credential: string; readonly keeping: Keeping };

/** The storage of a tab; `null` where the browser allows none, for example in a frame of another site. */
export type TabStorage = {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
} | null;

type Address = { readonly hash: string; readonly pathname: string; readonly search: string };
type AddressBar = { replaceState(data: null, unused: string, url: string): void };

const storageKey = 'webhooks-console-credential';
const fragmentName = 'token';

/**
 * The credential of a portal link, which carries it in the fragment: `#token=…`. It is taken out of the address at
 * once, so it stays neither in the address bar nor in the history.
 */
export function takeFromLink(page: Address, bar: AddressBar): string | null {
  const token = new URLSearchParams(page.hash.replace(/^#/, '')).get(fragmentName);
  if (token === null) return null;
  bar.replaceState(null, '', `${page.pathname}${page.search}`);
  return token === '' ? null : token;
}

/** The credential that this tab keeps over a reload. */
export function readKept(storage: TabStorage): string | null {
  return storage?.getItem(storageKey) ?? null;
}

export function keep(storage: TabStorage, { credential, keeping }: Given): void {
  if (keeping === 'tab') storage?.setItem(storageKey, credential);
  else forget(storage);
}

export function forget(storage: TabStorage): void {
  storage?.removeItem(storageKey);
}
