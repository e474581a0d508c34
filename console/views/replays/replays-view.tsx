import { useRef, useState } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import type { BulkReplay, BulkReplayPlan, BulkReplayRequest } from '../../api/records.ts';
import { ActionButton, useAction } from '../../parts/actions.tsx';
import { Choice, type Options, TextField } from '../../parts/fields.tsx';
import { Rows } from '../../parts/lists.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { FailureCard, LoadedView } from '../../parts/states.tsx';
import { countOf, isUtcShown } from '../../parts/texts.ts';
import { useRead } from '../../parts/use-load.ts';
import { Time } from '../../parts/values.tsx';
import { MayChange } from '../../session/may-change.tsx';
import { useSession } from '../../session/session.ts';
import { ages, startOf } from '../deliveries/filter-values.ts';
import { useEndpoint } from '../endpoints/endpoints.tsx';
import { useNarrowing } from './narrowing.tsx';
import { countText, isSettled, roughly, startTyped, toneOf } from './replay-text.ts';
import { useStartReplay } from './start-replay.ts';

type Planned = { readonly request: BulkReplayRequest; readonly plan: BulkReplayPlan };

/** Resends what failed since a time: first the plan, then its progress. */
export function ReplaysView({ webhookId }: { readonly webhookId: string }) {
  const { api, caller } = useSession();
  const [planned, setPlanned] = useState<Planned | null>(null);
  // What the reader chose meanwhile makes a count wrong.
  const turn = useRef(0);
  const forgetPlan = () => {
    turn.current += 1;
    setPlanned(null);
  };
  const params = { path: { id: webhookId } };
  // Only to show which endpoint it is.
  const { value: endpoint } = useEndpoint(webhookId);
  const { busy, failure, run } = useAction(async (body: BulkReplayRequest) => {
    forgetPlan();
    const mine = turn.current;
    const plan = await resultOf(api.POST('/v1/webhooks/{id}/replays/plan', { params, body }));
    if (turn.current === mine) setPlanned({ request: body, plan });
  });
  const earlier = useRead(webhookId, (api, signal) =>
    api.GET('/v1/webhooks/{id}/replays', { params: { ...params, query: { limit: 10 } }, signal }),
  );
  const start = useStartReplay(webhookId);
  // It may have begun although its response was lost, and another one may be running.
  const onStart = async (request: BulkReplayRequest) => {
    await start(request).catch(async (thrown: unknown) => {
      await earlier.reload();
      throw thrown;
    });
  };
  return (
    <Page
      title={caller.read_only ? 'Bulk resends' : 'Resend what failed'}
      subject={endpoint?.url}
      up={{ to: { view: 'endpoint', webhookId }, label: 'Endpoint' }}
    >
      <MayChange>
        <SinceForm busy={busy} onChosen={(request) => void run(request)} onChanged={forgetPlan} />
      </MayChange>
      {failure !== null && <FailureCard failure={failure} what="Could not count the deliveries" />}
      {planned !== null && <PlanCard {...planned} onStart={() => onStart(planned.request)} />}
      <LoadedView load={earlier} what="earlier ones" live={{ isSettled: ({ items }) => items.every(isSettled) }}>
        {({ items }) => items.length > 0 && <Earlier webhookId={webhookId} items={items} />}
      </LoadedView>
    </Page>
  );
}

type SinceProps = {
  readonly busy: boolean;
  readonly onChosen: (request: BulkReplayRequest) => void;
  /** Called when another time is chosen: what was counted is no longer that of the form. */
  readonly onChanged: () => void;
};

const own = 'own';

const choices: Options = [
  ...[...ages, { hours: 24 * 30, label: 'Last 30 days' }].map(
    ({ hours, label }) => [String(hours), `in the ${label.toLowerCase()}`] as const,
  ),
  [own, 'Custom time…'],
];

/** Asks since when. */
function SinceForm({ busy, onChosen, onChanged }: SinceProps) {
  const [choice, setChoice] = useState('24');
  const [typed, setTyped] = useState('');
  const [isWrong, setWrong] = useState(false);
  const { fields, narrow } = useNarrowing();
  const submit = (event: Event) => {
    event.preventDefault();
    if (busy) return;
    const now = Date.now();
    const since = choice === own ? startTyped(typed, now) : startOf(Number(choice), now);
    setWrong(since === null);
    if (since !== null) onChosen(narrow({ status: 'failed', created_after: since }));
  };
  return (
    <form class="card" onSubmit={submit} onInput={onChanged}>
      <p>
        Every delivery that has failed is resent as a new delivery, with the same event id and the same bytes.
        Deliveries that were already resent are skipped.
      </p>
      <Choice label="Failed deliveries that were created" value={choice} options={choices} onChange={setChoice} />
      {choice === own && (
        <TextField
          label={`Since (in ${isUtcShown() ? 'UTC' : 'your time zone'})`}
          value={typed}
          onText={setTyped}
          error={isWrong ? 'Choose a date and a time in the past' : null}
          input={{ type: 'datetime-local', required: true }}
        />
      )}
      {fields}
      <button type="submit" class="button" aria-disabled={busy}>
        {busy ? 'Counting…' : 'Count them'}
      </button>
    </form>
  );
}

type PlanProps = Planned & { readonly onStart: () => Promise<void> };

/** What would be resent, before anything is. */
function PlanCard({ plan, request, onStart }: PlanProps) {
  const { created_after: since = '' } = request;
  const { deliveries, already_replayed: before, oldest_created_at: oldest, newest_created_at: newest } = plan;
  const count = `${plan.complete ? '' : 'At least '}${countOf(deliveries)}`;
  const takes = `${plan.complete ? '' : 'at least '}${roughly(plan.seconds)}`;
  return (
    <Section title={deliveries === 0 ? 'Nothing to resend' : `${count} to resend`} kind="card" isNew>
      {deliveries === 0 ? (
        <p>
          No delivery that was created since <Time at={since} /> has failed and was not resent yet.
        </p>
      ) : (
        <>
          {oldest !== null && newest !== null && (
            <p>
              Created between <Time at={oldest} /> and <Time at={newest} />.
            </p>
          )}
          <p>It takes {takes}, at a pace that a receiver can bear. You can stop it at any time.</p>
        </>
      )}
      {before > 0 && (
        <p class="muted">
          {countOf(before)} {before === 1 ? 'was' : 'were'} resent before, and left out.
        </p>
      )}
      {deliveries > 0 && (
        <ActionButton label={`Resend ${countOf(deliveries)}`} kind="primary" failed="Could not begin" act={onStart} />
      )}
    </Section>
  );
}

type EarlierProps = { readonly webhookId: string; readonly items: readonly BulkReplay[] };

/** The last bulk replays of the endpoint. */
function Earlier({ webhookId, items }: EarlierProps) {
  return (
    <Section title="Earlier">
      <Rows
        items={items}
        row={(job) => ({
          status: job.status,
          tone: toneOf(job),
          what: countText(job),
          when: <Time at={job.created_at} />,
          to: { view: 'replay', webhookId, replayId: job.id },
        })}
      />
    </Section>
  );
}
