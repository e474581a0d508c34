import { useCallback, useState } from 'preact/hooks';
import { SignOut } from './kept/sign-out.tsx';
import { ownerOf } from './kept/unstored.ts';
import { UnstoredNote } from './kept/unstored-note.tsx';
import { focusTitle } from './parts/page.tsx';
import { RelativeTime } from './parts/time.tsx';
import { hrefOf, type Route } from './routing/route.ts';
import { useRoute } from './routing/use-route.ts';
import { type Session, SessionContext } from './session/session.ts';
import { SignIn } from './session/sign-in.tsx';
import { useSignIn } from './session/use-sign-in.ts';
import { View } from './views/view.tsx';

/** The console: the sign-in form, or the view that the address names. */
export function App() {
  const { state, signIn, signOut } = useSignIn();
  const [said, setSaid] = useState('');
  // A text that is said twice must differ, else screen readers do not repeat it.
  const announce = useCallback(
    (text: string) => setSaid((before) => (before === text ? `${text}\u00a0` : text)),
    [],
  );
  const route = useRoute();
  return (
    <>
      {state.signedIn ? (
        <SessionContext.Provider
          value={{ api: state.api, caller: state.caller, announce, signOut: () => signOut(null) }}
        >
          <TopBar caller={state.caller} route={route} onSignOut={() => signOut(null)} />
          <UnstoredNote
            customerId={state.caller.customer_id}
            shown={route.view === 'endpoint' ? route.webhookId : null}
          />
          <View key={hrefOf({ ...route, filters: {} } as Route)} route={route} />
        </SessionContext.Provider>
      ) : (
        <>
          <UnstoredNote customerId={null} shown={null} />
          <SignIn
            state={state}
            onGiven={(given, resumed) => void signIn(given, resumed)}
            onOther={() => signOut(null)}
          />
        </>
      )}
      <div class="announcer" role="status" aria-live="polite">
        {said}
      </div>
    </>
  );
}

function skipToContent(event: Event): void {
  event.preventDefault();
  focusTitle();
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
    views: ['deliveries', 'delivery', 'resend', 'replays', 'replay'],
  },
  { label: 'Runs', route: { view: 'runs' }, views: ['runs', 'run', 'tracker'] },
] as const satisfies readonly { label: string; route: Route; views: readonly Route['view'][] }[];

function TopBar({ caller, route, onSignOut }: TopBarProps) {
  const { label } = ownerOf(caller);
  return (
    <header class="top">
      <a class="skip" href={hrefOf(route)} onClick={skipToContent}>
        Skip to content
      </a>
      <span class="brand">Webhooks</span>
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
        <a href="docs" target="_blank" rel="noreferrer">
          Docs
        </a>
      </nav>
      <p class="caller">
        <span>
          <bdi title={label}>{label}</bdi>{' '}
          {caller.expires_at !== null && (
            <span>
              link ends <RelativeTime at={caller.expires_at} />
            </span>
          )}
        </span>
        <SignOut onSignOut={onSignOut} />
      </p>
    </header>
  );
}
