import { parseRoute, type Route } from '../routing/route.ts';

/** A credential, and where it is while the console is open. */
export type Given = { readonly credential: string; readonly keeping: 'memory' | 'tab' };

/** The storage of a tab; `null` where the browser allows none, for example in a frame of another site. */
export type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null;

/** What an address with a credential carried: the credential of a portal link, or why it is not taken. */
export type Link =
  | {
      readonly kind: 'portal';
      readonly credential: string;
      /** The view to show after the sign-in; `null` when the link names none. */
      readonly to: Route | null;
    }
  | { readonly kind: 'refused'; readonly reason: string };

type Address = { readonly hash: string; readonly pathname: string; readonly search: string };
type AddressBar = { replaceState(data: null, unused: string, url: string): void };

const storageKey = 'webhooks-console-credential';
const fragmentNames = { credential: 'token', view: 'to' } as const;

/**
 * Takes the credential of a portal link out of the address, which carries it in the fragment: `#token=…&to=/runs`. The
 * address bar and the way back then show it no longer; files of the browser's profile may, until they are overwritten, so
 * a link must end soon. Any other credential leaves the address too, and is refused: a link must not sign a reader in with a
 * key of somebody else.
 *
 * @param view the fragment to show instead: that of the view in which the link was followed
 */
export function takeFromLink(page: Address, bar: AddressBar, view = ''): Link | null {
  const fragment = new URLSearchParams(page.hash.replace(/^#/, ''));
  const token = fragment.get(fragmentNames.credential);
  if (token === null) return null;
  bar.replaceState(null, '', `${page.pathname}${page.search}${view}`);
  if (token === '') return null;
  return token.startsWith('ptl_')
    ? { kind: 'portal', credential: token, to: viewOf(fragment.get(fragmentNames.view)) }
    : { kind: 'refused', reason: refusalOf(token) };
}

/** Only views of the console have an address here: every other text leads nowhere. */
function viewOf(path: string | null): Route | null {
  const route = parseRoute(path ?? '');
  return path === null || !path.startsWith('/') || route.view === 'unknown' ? null : route;
}

function refusalOf(token: string): string {
  const isKey = token.startsWith('key_');
  if (!isKey && token.split('.').length !== 3)
    return 'This is not a whole portal link. Open the link again as you received it, or ask for a new one.';
  const kind = isKey ? 'an API key' : 'an access token';
  return `This link contains ${kind}, and the console takes only portal links from an address. To sign in with your key or token, paste it into the form. If somebody sent you this link, tell them: everyone who has it can use their account.`;
}

/** What was typed into the form: a credential, or a whole portal link, of which the credential is taken. */
export function typedCredential(text: string): string {
  const typed = text.trim();
  return /#token=(ptl_[\w-]+)(&to=\S*)?$/.exec(typed)?.[1] ?? typed;
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
