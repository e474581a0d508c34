import type { ComponentChildren } from 'preact';
import { useSession } from './session.ts';

/** What makes changes: nothing of it is there for a link that can only read. */
export function MayChange({ children }: { readonly children: ComponentChildren }) {
  return useSession().caller.read_only ? null : children;
}

/** Says why there is nothing to make changes with. */
export function ReadOnlyNote() {
  if (!useSession().caller.read_only) return null;
  return (
    <section class="above" aria-label="What this link can do">
      <p class="note">
        <strong>This link can only read.</strong> To register or delete endpoints, to rotate secrets, to send examples,
        or to resend, ask for another link where you got this one, or sign in with an API key.
      </p>
    </section>
  );
}
