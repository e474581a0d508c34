import { useEffect } from 'preact/hooks';
import type { Activity } from '../../api/records.ts';
import { PagedList, Rows } from '../../parts/lists.tsx';
import { Section } from '../../parts/page.tsx';
import { usePages } from '../../parts/use-pages.ts';
import { RelativeTime } from '../../parts/values.tsx';
import { hrefOf } from '../../routing/route.ts';
import { useSession } from '../../session/session.ts';

type ActivityProps = {
  readonly webhookId: string;
  /** How often the reader did something since the view was opened: each time the list is read again. */
  readonly changes: number;
};

/** What was done to an endpoint, and with which credential. */
export function EndpointActivity({ webhookId, changes }: ActivityProps) {
  const pages = usePages<Activity>(`activity ${webhookId}`, (api, query, signal) =>
    api.GET('/v1/webhooks/{id}/activity', {
      params: { path: { id: webhookId }, query: { ...query, limit: 5 } },
      signal,
    }),
  );
  useEffect(() => {
    if (changes > 0) void pages.load.reload();
  }, [changes]);
  return (
    <Section title="Activity">
      <PagedList pages={pages} what="activity" none={<p class="muted">Nothing in the last 90 days.</p>}>
        {({ items }) => (
          <Rows
            items={items}
            kind="two"
            row={(activity) => ({
              what: (
                <span>
                  <Action activity={activity} webhookId={webhookId} /> <Actor activity={activity} />
                </span>
              ),
              when: <RelativeTime at={activity.created_at} />,
            })}
          />
        )}
      </PagedList>
    </Section>
  );
}

const words: Readonly<Record<string, string>> = {
  registered: 'Registered',
  secret_rotated: 'Secret rotated',
  deleted: 'Deleted',
  delivery_replayed: 'Delivery resent',
  example_sent: 'Example sent',
  bulk_replay_started: 'Bulk resend started',
  bulk_replay_cancelled: 'Bulk resend cancelled',
};

type Props = { readonly activity: Activity };

/** What was done, with a link to what it made. */
function Action({ activity, webhookId }: Props & { readonly webhookId: string }) {
  const { action, delivery_id: deliveryId, replay_id: replayId } = activity;
  const text = words[action] ?? action;
  if (deliveryId !== null) {
    return <a href={hrefOf({ view: 'delivery', webhookId, deliveryId })}>{text}</a>;
  }
  if (replayId === null) return <>{text}</>;
  return <a href={hrefOf({ view: 'replay', webhookId, replayId })}>{text}</a>;
}

const kinds: Readonly<Record<string, string>> = {
  aky_: 'API key',
  plk_: 'portal link',
  con_: 'connection',
};

function Actor({ activity: { credential_id: id } }: Props) {
  const { caller } = useSession();
  if (id === null) return <span class="muted">by the operator</span>;
  return (
    <span class="muted">
      by {kinds[id.slice(0, 4)] ?? 'credential'} <code>{id}</code>
      {id === caller.id && ' (you)'}
    </span>
  );
}
