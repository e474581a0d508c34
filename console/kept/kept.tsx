import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { Failure } from '../api/failure.ts';
import type { Filters } from '../routing/route.ts';
import { type Unstored, withoutSecret, withSecret } from './unstored.ts';

/** The form that registers an endpoint, as the reader left it. */
export type Registering = {
  /** Whose form it is: it is empty for everybody else. */
  readonly ownerId: string;
  readonly url: string;
  readonly description: string;
  /** Whether the test event is on its way. */
  readonly busy: boolean;
  /** Why the last try was refused. */
  readonly failure: Failure | null;
};

/** What must not be lost by a click. It is in the memory of the tab, in no storage, and gone after a reload. */
export type Kept = {
  readonly unstored: readonly Unstored[];
  readonly keepSecret: (added: Unstored) => void;
  /** The reader has stored it, or its endpoint was deleted. */
  readonly forgetSecret: (webhookId: string) => void;
  readonly forgetAllSecrets: () => void;
  /** Waits for a request whose response has a secret: leaving meanwhile would lose it. */
  readonly awaitSecret: <T>(request: Promise<T>) => Promise<T>;
  readonly registering: Registering | null;
  readonly setRegistering: (form: Registering | null) => void;
  /** The list of deliveries that the reader saw last, and whose it is; `null` before the first. */
  readonly listed: { current: { readonly ownerId: string; readonly filters: Filters } | null };
};

const KeptContext = createContext<Kept | null>(null);

export function useKept(): Kept {
  const kept = useContext(KeptContext);
  if (kept === null) throw new Error('Views need what the tab keeps: render them below KeptInTab');
  return kept;
}

/** Outlives views and sessions. */
export function KeptInTab({ children }: { readonly children: ComponentChildren }) {
  const [unstored, setUnstored] = useState<readonly Unstored[]>([]);
  const [awaited, setAwaited] = useState(0);
  const [registering, setRegistering] = useState<Registering | null>(null);
  const listed: Kept['listed'] = useRef(null);
  const isNeeded = unstored.length > 0 || awaited > 0;
  // The browser asks before a reload, another address, or the end of the tab. Its words are the browser's.
  useEffect(() => {
    if (!isNeeded) return;
    const ask = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isNeeded]);
  const awaitSecret = async <T,>(request: Promise<T>) => {
    setAwaited((count) => count + 1);
    return await request.finally(() => setAwaited((count) => count - 1));
  };
  return (
    <KeptContext.Provider
      value={{
        unstored,
        keepSecret: (added) => setUnstored((known) => withSecret(known, added)),
        forgetSecret: (webhookId) => setUnstored((known) => withoutSecret(known, webhookId)),
        forgetAllSecrets: () => setUnstored([]),
        awaitSecret,
        registering,
        setRegistering,
        listed,
      }}
    >
      {children}
    </KeptContext.Provider>
  );
}
