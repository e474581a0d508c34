import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { Failure } from '../api/failure.ts';
import type { EndpointDelivery } from '../api/records.ts';
import type { Known } from '../parts/pages.ts';
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
  readonly failure: Failure | null;
};

/** What must not be lost by a click. It is in the memory of the tab, in no storage, and gone after a reload. */
type Kept = ReturnType<typeof useTabMemory>;

/** The list of deliveries that the reader saw last, and whose it is. */
export type ListSeen = {
  readonly ownerId: string;
  readonly filters: Filters;
  /** Where the reader is in it; `null` once they have left it for other views than its deliveries. */
  place: Place | null;
};

type Place = {
  /** What was read of the list; `null` before the first page is here. */
  known: Known<EndpointDelivery> | null;
  /** Pixels from the top. */
  scroll: number;
  opened: string | null;
};

const KeptContext = createContext<Kept | null>(null);

export function useKept(): Kept {
  const kept = useContext(KeptContext);
  if (kept === null) throw new Error('Views need what the tab keeps: render them below KeptInTab');
  return kept;
}

/** Outlives views and sessions. */
export function KeptInTab({ children }: { readonly children: ComponentChildren }) {
  return <KeptContext.Provider value={useTabMemory()}>{children}</KeptContext.Provider>;
}

function useTabMemory() {
  const [unstored, setUnstored] = useState<readonly Unstored[]>([]);
  const [awaited, setAwaited] = useState(0);
  const [registering, setRegistering] = useState<Registering | null>(null);
  const listed = useRef<ListSeen | null>(null);
  const isNeeded = unstored.length > 0 || awaited > 0;
  // The browser asks before a reload, another address, or the end of the tab. Its words are the browser's.
  useEffect(() => {
    if (!isNeeded) return;
    const ask = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isNeeded]);
  return {
    unstored,
    keepSecret: (added: Unstored) => setUnstored((known) => withSecret(known, added)),
    /** The reader has stored it, or its endpoint is deleted. */
    forgetSecret: (webhookId: string) => setUnstored((known) => withoutSecret(known, webhookId)),
    forgetAllSecrets: () => setUnstored([]),
    /** Waits for a response with a secret: leaving meanwhile would lose it. */
    awaitSecret: async <T,>(response: Promise<T>) => {
      setAwaited((count) => count + 1);
      return await response.finally(() => setAwaited((count) => count - 1));
    },
    registering,
    setRegistering: (form: Registering | null) => setRegistering(form),
    listed,
    forgetPlace: () => {
      if (listed.current !== null) listed.current.place = null;
    },
  };
}
