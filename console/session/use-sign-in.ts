import { useEffect, useState } from 'preact/hooks';
import { apiAddress, connectApi, resultOf } from '../api/client.ts';
import { openAtOnce } from '../routing/use-route.ts';
import { type Link, type TabStorage, takeFromLink } from './credential.ts';
import { beforeSignIn, type SessionState, Sessions } from './sessions.ts';
import { alone, Tabs } from './tabs.ts';

/** Milliseconds that a new tab waits for one that may be asleep. */
const tabTimeout = 2_000;

/** The state of the sign-in, and what readers can do about it. */
export function useSignIn() {
  const [state, setState] = useState(beforeSignIn);
  // Read before any view is rendered: none may take the credential in the address for its own.
  const [first] = useState(() => linkIn(''));
  const [sessions] = useState(() => openSessions(setState));
  useEffect(() => {
    void (first === null ? sessions.resume() : sessions.follow(first));
    const onLink = ({ oldURL }: HashChangeEvent) => {
      // The reader stays in the view until they have answered.
      const link = linkIn(new URL(oldURL).hash);
      if (link !== null) void sessions.follow(link);
    };
    addEventListener('hashchange', onLink);
    return () => removeEventListener('hashchange', onLink);
  }, [sessions, first]);
  return { state, sessions, answerLink: (isYes: boolean) => void sessions.answer(isYes) };
}

function openSessions(onState: (state: SessionState) => void): Sessions {
  const storage = tabStorage();
  const unanswered = new Map<string, string>();
  return new Sessions({
    connect: (credential, onRefused) => connectApi(apiAddress(location), credential, onRefused, unanswered),
    readCaller: (api) => resultOf(api.GET('/v1/credential')),
    storage,
    tabs: otherTabs(storage),
    onState,
    openView: openAtOnce,
  });
}

function linkIn(view: string): Link | null {
  return takeFromLink(location, history, view);
}

/** Reading the property throws where the browser blocks storage, as in a frame of another site. */
function tabStorage(): TabStorage {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

/** Browsers block channels and locks with the storage, and have no locks on a page that came over plain HTTP. */
function otherTabs(storage: TabStorage): Tabs {
  const isAlone = storage === null || !isSecureContext;
  return new Tabs({
    ...(isAlone ? alone : { channel: new BroadcastChannel('webhooks-console'), locks: navigator.locks }),
    address: apiAddress(location),
    timeout: () => new Promise((resolve) => setTimeout(resolve, tabTimeout)),
  });
}
