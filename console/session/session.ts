import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Api } from '../api/client.ts';
import type { Credential } from '../api/records.ts';

/** What the views need: the API, and for whom it answers. */
export type Session = {
  readonly api: Api;
  readonly caller: Credential;
  /** Says something to readers of the screen, for example that a delivery was resent. */
  readonly announce: (text: string) => void;
};

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('Views need a session: render them below SessionContext');
  return session;
}
