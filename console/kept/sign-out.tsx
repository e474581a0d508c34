import { ConfirmButton } from '../parts/confirm-dialog.tsx';
import { hostOf } from '../parts/host-of.ts';
import { useKept } from './kept.tsx';

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
