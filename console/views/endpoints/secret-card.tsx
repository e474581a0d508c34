import { useKept } from '../../kept/kept.tsx';
import type { Unstored } from '../../kept/unstored.ts';
import { focusTitle, Section } from '../../parts/page.tsx';
import { CopyButton, NewTab } from '../../parts/values.tsx';
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
  const copy = <CopyButton text={secret} what="signing secret" />;
  return (
    <Section title="Signing secret" kind="card secret" isNew action={copy}>
      <pre>{secret}</pre>
      <p>
        <strong>Store it now: it cannot be read again.</strong> It stays in the memory of this tab until you
        have stored it, and is lost when you reload or close the tab.
      </p>
      <p>
        {handshake === null
          ? 'The old secret stays valid for 24 hours, and every delivery is signed with both until then. '
          : `The endpoint answered its test event with ${handshake.response_status}, and receives every event from now on. `}
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
          <a class="button" href={hrefOf({ view: 'delivery', webhookId, deliveryId: handshake.id })}>
            See the test delivery
          </a>
        )}
      </div>
    </Section>
  );
}
