/** Where the credential is while the console is open. */
export type Keeping = 'memory' | 'tab';

export type Given = { readonly credential: string; readonly keeping: Keeping };

const storageKey = 'webhooks-console-credential';
const fragmentName = 'token';

/**
 * The credential of a portal link, which carries it in the fragment: `#token=…`. It is taken out of the address at
 * once, so it stays neither in the address bar nor in the history.
 */
export function takeFromLink(page: Location, history: History): string | null {
  const token = new URLSearchParams(page.hash.replace(/^#/, '')).get(fragmentName);
  if (token === null) return null;
  history.replaceState(null, '', `${page.pathname}${page.search}`);
  return token === '' ? null : token;
}

/** The credential that this tab keeps over a reload. */
export function readKept(storage: Storage): string | null {
  return storage.getItem(storageKey);
}

export function keep(storage: Storage, { credential, keeping }: Given): void {
  if (keeping === 'tab') storage.setItem(storageKey, credential);
  else storage.removeItem(storageKey);
}

export function forget(storage: Storage): void {
  storage.removeItem(storageKey);
}
