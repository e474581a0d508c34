import type { ComponentChildren } from 'preact';
import { CopyButton } from '../../parts/copy.tsx';
import { FocusedHeading } from '../../parts/focused-heading.tsx';
import { useAccountLabel } from '../../session/session.ts';

type Props = {
  readonly secret: string;
  /** What to do with it. */
  readonly children: ComponentChildren;
};

/** A signing secret, which the API shows once. It is in no storage, and gone when the reader leaves. */
export function SecretCard({ secret, children }: Props) {
  return (
    <section class="card secret" aria-labelledby="secret-title">
      <div class="heading">
        <FocusedHeading id="secret-title">Signing secret</FocusedHeading>
        <CopyButton text={secret} what="signing secret" />
      </div>
      <pre>{secret}</pre>
      <p>
        It belongs to an endpoint of <bdi>{useAccountLabel()}</bdi>.
      </p>
      <p>
        <strong>Store it now: it is not shown again.</strong> {children}
      </p>
    </section>
  );
}
