import { useKept } from '../../kept/kept.tsx';
import type { Unstored } from '../../kept/unstored.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { FocusedHeading } from '../../parts/focused-heading.tsx';
import { NewTab } from '../../parts/new-tab.tsx';
import { focusTitle } from '../../parts/page.tsx';
import { hrefOf } from '../../routing/route.ts';
import { useSession } from '../../session/session.ts';

/** A signing secret, which the API shows once. It stays until the reader says that it is stored. */
export function SecretCard({ unstored }: { readonly unstored: Unstored }) {
  const { webhookId, secret, owner, handshake } = unstored;
  const { announce } = useSession();
  const { forgetSecret } = useKept();
  const stored = () => {
    forgetSecret(webhookId);
    announce('The secret is no longer in this tab');
    focusTitle();
  };
  return (
    <section class="card secret" aria-labelledby="secret-title">
      <div class="heading">
        <FocusedHeading id="secret-title">Signing secret</FocusedHeading>
        <CopyButton text={secret} what="signing secret" />
      </div>
      <pre>{secret}</pre>
      <p>
        <strong>Store it now: it cannot be read again.</strong> It stays in the memory of this tab until you
        have stored it, and is lost when you reload or close the tab.
      </p>
      <p>
        {handshake === null
          ? 'The old secret stays valid for 24 hours, and every delivery is signed with both until then. '
          : `The endpoint answered its test event with ${handshake.responseStatus}, and receives every event from now on. `}
        <NewTab href="docs/receive-and-verify">How to verify an event</NewTab>
      </p>
      <p class="muted">
        Account: <bdi>{owner.label}</bdi>
      </p>
      <div class="actions">
        <button type="button" class="button primary" onClick={stored}>
          I have stored it
        </button>
        {handshake !== null && (
          <a class="button" href={hrefOf({ view: 'delivery', webhookId, deliveryId: handshake.deliveryId })}>
            See the test delivery
          </a>
        )}
      </div>
    </section>
  );
}
