import { useCallback, useEffect, useState } from 'preact/hooks';
import { accountOf } from './api/records.ts';
import { useKept } from './kept/kept.tsx';
import { SignOut, UnstoredNote } from './kept/unstored-secrets.tsx';
import { BrandMark, SupportLink } from './parts/brand.tsx';
import { focusTitle } from './parts/page.tsx';
import { NewTab, RelativeTime } from './parts/values.tsx';
import { useZone, ZoneContext, ZoneNote } from './parts/zone.tsx';
import { hrefOf, type Route } from './routing/route.ts';
import { useRoute } from './routing/use-route.ts';
import { LinkDialog } from './session/link-dialog.tsx';
import { ReadOnlyNote } from './session/may-change.tsx';
import { type Session, SessionContext } from './session/session.ts';
import { SignIn } from './session/sign-in.tsx';
import { useSignIn } from './session/use-sign-in.ts';
import { View } from './views/view.tsx';

/** The console: the sign-in form, or the view that the address names. */
export function App() {
  const { state, sessions, answerLink } = useSignIn();
  const [said, setSaid] = useState('');
  // A text that is said twice must differ, else screen readers do not repeat it.
  const announce = useCallback((text: string) => setSaid((before) => (before === text ? `${text}\u00a0` : text)), []);
  const route = useRoute();
  const { session, note } = state;
  const signOut = () => sessions.signOut();
  const changeZone = useZone();
  const { forgetPlace } = useKept();
  const isList = route.view === 'deliveries' || route.view === 'delivery';
  useEffect(() => {
    if (!isList) forgetPlace();
  }, [isList]);
  return (
    <ZoneContext.Provider value={changeZone}>
      {session.signedIn ? (
        <SessionContext.Provider
          key={session.caller.customer_id}
          value={{ api: session.api, caller: session.caller, announce }}
        >
          <TopBar caller={session.caller} route={route} onSignOut={signOut} />
          <ReadOnlyNote />
          <UnstoredNote
            customerId={session.caller.customer_id}
            shown={route.view === 'endpoint' ? route.webhookId : undefined}
          />
          <View key={route.view === 'deliveries' ? route.view : hrefOf(route)} route={route} />
          <ZoneNote />
        </SessionContext.Provider>
      ) : (
        <>
          <UnstoredNote />
          <SignIn
            state={session}
            onGiven={(given) => void sessions.signIn(given)}
            onRetry={() => void sessions.retry()}
            onOther={signOut}
          />
        </>
      )}
      {note !== null && <LinkDialog note={note} onAnswer={answerLink} />}
      <div class="announcer" role="status" aria-live="polite">
        {said}
      </div>
    </ZoneContext.Provider>
  );
}

type TopBarProps = {
  readonly caller: Session['caller'];
  readonly route: Route;
  readonly onSignOut: () => void;
};

const sections = [
  { label: 'Endpoints', route: { view: 'endpoints' }, views: ['endpoints', 'new-endpoint', 'endpoint'] },
  {
    label: 'Deliveries',
    route: { view: 'deliveries', filters: {} },
    views: ['deliveries', 'delivery', 'resend', 'replays', 'replay', 'signature'],
  },
  { label: 'Runs', route: { view: 'runs' }, views: ['runs', 'run', 'tracker', 'report'] },
] as const satisfies readonly { label: string; route: Route; views: readonly Route['view'][] }[];

function TopBar({ caller, route, onSignOut }: TopBarProps) {
  const skipToContent = (event: Event) => {
    event.preventDefault();
    focusTitle();
  };
  const { label } = accountOf(caller);
  return (
    <header class="top">
      <a class="skip" href={hrefOf(route)} onClick={skipToContent}>
        Skip to content
      </a>
      <span class="brand">
        <BrandMark />
      </span>
      <nav aria-label="Views">
        {sections.map(({ label, route: target, views }) => (
          <a
            key={label}
            href={hrefOf(target)}
            aria-current={views.some((view) => view === route.view) ? 'page' : undefined}
          >
            {label}
          </a>
        ))}
        <NewTab href="docs">Docs</NewTab>
        <SupportLink />
      </nav>
      <p class="caller">
        <span>
          <bdi title={label}>{label}</bdi>{' '}
          {caller.expires_at !== null && (
            <span>
              link expires <RelativeTime at={caller.expires_at} />
            </span>
          )}
        </span>
        <SignOut onSignOut={onSignOut} />
      </p>
    </header>
  );
}
