import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Api, apiAddress, connectApi, resultOf } from '../api/client.ts';
import { type Failure, failureOf, isRefused, summaryOf } from '../api/failure.ts';
import type { Credential } from '../api/records.ts';
import { forget, type Given, keep, readKept, type TabStorage, takeFromLink } from './credential.ts';

export type SignedOut = {
  readonly signedIn: false;
  /** A credential of a link or of this tab: the reader does not have to type it. */
  readonly given: Given | null;
  /** Why the reader has to sign in again. */
  readonly reason: string | null;
  /** Why the last try failed. */
  readonly failure: Failure | null;
  readonly busy: boolean;
};

type State = SignedOut | { readonly signedIn: true; readonly api: Api; readonly caller: Credential };

const signedOut: SignedOut = { signedIn: false, given: null, reason: null, failure: null, busy: false };

/** Who uses the console: by a portal link, by a credential that the tab keeps, or by the sign-in form. */
export function useSignIn() {
  // Read before any view is rendered: none may take the credential in the address for its own.
  const [initial] = useState(() => givenByLink() ?? givenByTab());
  const [state, setState] = useState<State>({ ...signedOut, given: initial, busy: initial !== null });
  // Counts sign-ins and sign-outs, so that a late response of an earlier credential changes nothing.
  const turn = useRef(0);

  const signOut = useCallback((reason: string | null) => {
    turn.current += 1;
    forget(tabStorage());
    setState({ ...signedOut, reason });
  }, []);

  const signIn = useCallback(
    async (given: Given, resumed: boolean) => {
      turn.current += 1;
      const mine = turn.current;
      let isOpen = false;
      setState({ ...signedOut, given: resumed ? given : null, busy: true });
      try {
        const api = connectApi(apiAddress(location), given.credential, (failure) => {
          if (isOpen && turn.current === mine) signOut(`You were signed out. ${summaryOf(failure)}`);
        });
        const caller = await resultOf(api.GET('/v1/credential'));
        if (turn.current !== mine) return;
        isOpen = true;
        keep(tabStorage(), given);
        setState({ signedIn: true, api, caller });
      } catch (thrown) {
        if (turn.current !== mine) return;
        const failure = failureOf(thrown);
        const isOver = isRefused(failure);
        if (isOver) forget(tabStorage());
        // While the API does not answer, a link or a kept credential is not lost: the reader can try again.
        setState({ ...signedOut, given: resumed && !isOver ? given : null, failure });
      }
    },
    [signOut],
  );

  useEffect(() => {
    if (initial !== null) void signIn(initial, true);
    const onLink = () => {
      const given = givenByLink();
      if (given !== null) void signIn(given, true);
    };
    addEventListener('hashchange', onLink);
    return () => removeEventListener('hashchange', onLink);
  }, [signIn, initial]);

  return { state, signIn, signOut };
}

function givenByLink(): Given | null {
  const credential = takeFromLink(location, history);
  return credential === null ? null : { credential, keeping: 'tab' };
}

function givenByTab(): Given | null {
  const credential = readKept(tabStorage());
  return credential === null ? null : { credential, keeping: 'tab' };
}

/** Reading the property throws where the browser blocks storage, as in a frame of another site. */
function tabStorage(): TabStorage {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}
