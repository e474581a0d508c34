import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Api, apiAddress, connectApi, resultOf } from '../api/client.ts';
import { type Failure, failureOf } from '../api/failure.ts';
import type { Credential } from '../api/records.ts';
import { forget, type Given, keep, readKept, takeFromLink } from './credential.ts';

type SignedOut = {
  readonly signedIn: false;
  /** Why the reader has to sign in again. */
  readonly reason: string | null;
  /** Why the last try failed. */
  readonly failure: Failure | null;
  readonly busy: boolean;
};

type State = SignedOut | { readonly signedIn: true; readonly api: Api; readonly caller: Credential };

const signedOut: SignedOut = { signedIn: false, reason: null, failure: null, busy: false };
const refused = 'The API no longer accepts your key or link: it has expired or was revoked. Sign in again.';

/** Who uses the console: by a portal link, by a credential that the tab keeps, or by the sign-in form. */
export function useSignIn() {
  // Before anything is rendered: no view may take the credential in the address for its own.
  const [linked] = useState(() => takeFromLink(location, history));
  const [state, setState] = useState<State>({ ...signedOut, busy: true });

  const signOut = useCallback((reason: string | null) => {
    forget(sessionStorage);
    setState({ ...signedOut, reason });
  }, []);

  const signIn = useCallback(
    async (given: Given) => {
      setState({ ...signedOut, busy: true });
      try {
        const api = connectApi(apiAddress(location), given.credential, () => signOut(refused));
        const caller = await resultOf(api.GET('/v1/credential'));
        keep(sessionStorage, given);
        setState({ signedIn: true, api, caller });
      } catch (thrown) {
        forget(sessionStorage);
        setState({ ...signedOut, failure: failureOf(thrown) });
      }
    },
    [signOut],
  );

  useEffect(() => {
    const given = linked ?? readKept(sessionStorage);
    if (given === null) setState(signedOut);
    else void signIn({ credential: given, keeping: 'tab' });
    // A link may also be opened in a tab that shows the console.
    const onLink = () => {
      const token = takeFromLink(location, history);
      if (token !== null) void signIn({ credential: token, keeping: 'tab' });
    };
    addEventListener('hashchange', onLink);
    return () => removeEventListener('hashchange', onLink);
  }, [linked, signIn]);

  return { state, signIn, signOut };
}
