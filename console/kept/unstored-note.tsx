import { hostOf } from '../parts/host-of.ts';
import { hrefOf } from '../routing/route.ts';
import { useKept } from './kept.tsx';

type Props = {
  /** Id of the customer who has signed in; `null` for nobody. */
  readonly customerId: string | null;
  /** Id of the endpoint whose view shows its secret already; `null` in any other view. */
  readonly shown: string | null;
};

/** Reminds of secrets that the reader has not stored, in every view but their own. */
export function UnstoredNote({ customerId, shown }: Props) {
  const { unstored } = useKept();
  const others = unstored.filter(({ webhookId, owner }) => webhookId !== shown || owner.id !== customerId);
  if (others.length === 0) return null;
  return (
    <section class="unstored" aria-label="Secrets that are not stored yet">
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
