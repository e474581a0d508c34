import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { hostOf } from '../parts/host-of.ts';
import { useKept } from './kept.tsx';

/** Signs out, after a question while a secret is not stored. */
export function SignOut({ onSignOut }: { readonly onSignOut: () => void }) {
  const { unstored, forgetAllSecrets } = useKept();
  const [asking, setAsking] = useState(false);
  const confirmed = async () => {
    forgetAllSecrets();
    onSignOut();
  };
  return (
    <>
      <button
        type="button"
        class="button"
        onClick={() => (unstored.length > 0 ? setAsking(true) : onSignOut())}
      >
        Sign out
      </button>
      {asking && (
        <ConfirmDialog
          title="Sign out without the secret?"
          action="Sign out"
          danger
          onConfirm={confirmed}
          onClose={() => setAsking(false)}
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
        </ConfirmDialog>
      )}
    </>
  );
}
