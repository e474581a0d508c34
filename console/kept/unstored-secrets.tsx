import { ConfirmButton } from '../parts/actions.tsx';
import { hostOf } from '../parts/texts.ts';
import { hrefOf } from '../routing/route.ts';
import { useKept } from './kept.tsx';

type NoteProps = {
  /** Id of the customer who has signed in. */
  readonly customerId?: string;
  /** Id of the endpoint whose view shows its secret already. */
  readonly shown?: string | undefined;
};

/** Reminds of secrets that the reader has not stored, in every view but their own. */
export function UnstoredNote({ customerId, shown }: NoteProps) {
  const { unstored } = useKept();
  const others = unstored.filter(({ webhookId, owner }) => webhookId !== shown || owner.id !== customerId);
  if (others.length === 0) return null;
  return (
    <section class="above" aria-label="Secrets that are not stored yet">
      {others.map(({ webhookId, url, owner }) => (
        <p key={webhookId} class="note">
          You have not stored the signing secret of <bdi>{hostOf(url)}</bdi> yet.{' '}
          {owner.id === customerId ? (
            <a href={hrefOf({ view: 'endpoint', webhookId })}>Show the secret</a>
          ) : (
            <>
              Sign in to <bdi>{owner.label}</bdi> in this tab to see it.
            </>
          )}
        </p>
      ))}
    </section>
  );
}

/** Signs out, after a question while a secret is not stored. */
export function SignOut({ onSignOut }: { readonly onSignOut: () => void }) {
  const { unstored, forgetAllSecrets } = useKept();
  const confirmed = async () => {
    forgetAllSecrets();
    onSignOut();
  };
  return (
    <ConfirmButton
      label="Sign out"
      title="Sign out without the secret?"
      action="Sign out"
      danger
      unasked={unstored.length === 0}
      onConfirm={confirmed}
    >
      <p>You have not stored the signing secret of:</p>
      <ul>
        {unstored.map(({ webhookId, url }) => (
          <li key={webhookId}>
            <bdi>{hostOf(url)}</bdi>
          </li>
        ))}
      </ul>
      <p>It is in the memory of this tab only, and lost when you sign out.</p>
    </ConfirmButton>
  );
}
