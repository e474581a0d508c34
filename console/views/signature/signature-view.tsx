import type { TargetedSubmitEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { LongTextField, TextField } from '../../parts/fields.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Marked, NewTab } from '../../parts/values.tsx';
import { type Check, checkSignature, type Received, type Rule } from './check.ts';

const empty: Received = { headers: '', body: '', secret: '' };

/** Says which rule a request breaks. All of it happens in this view: nothing is sent, kept or put into an address. */
export function SignatureView() {
  const [received, setReceived] = useState(empty);
  const [checks, setChecks] = useState<readonly Check[]>([]);
  // What was typed meanwhile makes a result wrong.
  const turn = useRef(0);
  const set = (changed: Partial<Received>) => {
    turn.current += 1;
    setReceived({ ...received, ...changed });
    setChecks([]);
  };
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    turn.current += 1;
    const mine = turn.current;
    setChecks([]);
    const found = await checkSignature(received, Date.now());
    if (turn.current === mine) setChecks(found);
  };
  return (
    <Page title="Check a signature" up={{ to: { view: 'deliveries', filters: {} }, label: 'Deliveries' }}>
      <p>
        Paste a request as your receiver got it. This page checks it with the rules for receivers, and says which one
        fails. <strong>The check runs in this tab: nothing is sent or stored.</strong>{' '}
        <NewTab href="docs/receive-and-verify">The rules, with code</NewTab>
      </p>
      {globalThis.isSecureContext ? (
        <Form received={received} onChange={set} onSubmit={submit} />
      ) : (
        <p class="note bad">The browser computes signatures on HTTPS pages only. Open the console with HTTPS.</p>
      )}
      {checks.length > 0 && (
        <Section title="Result" isNew>
          {checks.map((check) => (
            <Result key={check.header} check={check} />
          ))}
        </Section>
      )}
    </Page>
  );
}

type FormProps = {
  readonly received: Received;
  readonly onChange: (changed: Partial<Received>) => void;
  readonly onSubmit: (event: TargetedSubmitEvent<HTMLFormElement>) => Promise<void>;
};

function Form({ received: { headers, body, secret }, onChange, onSubmit }: FormProps) {
  return (
    <form class="card signature" autocomplete="off" onSubmit={(event) => void onSubmit(event)}>
      <LongTextField
        label="Headers"
        value={headers}
        onText={(text) => onChange({ headers: text })}
        placeholder={'X-Service-Signature: t=1795167000,v1=5f2b…\nwebhook-id: evt_…'}
      />
      <LongTextField
        label="Raw body"
        value={body}
        onText={(text) => onChange({ body: text })}
        placeholder={'{"id":"evt_…'}
      />
      <TextField
        label="Signing secret"
        value={secret}
        onText={(text) => onChange({ secret: text })}
        error={null}
        input={{ type: 'password', placeholder: 'whsec_…', spellcheck: false }}
      />
      <button type="submit" class="button primary">
        Check
      </button>
    </form>
  );
}

const marks = [
  { isMet: true, sign: '✓', tone: 'good', says: 'Right:' },
  { isMet: false, sign: '✗', tone: 'bad', says: 'Wrong:' },
  { isMet: null, sign: '–', tone: 'quiet', says: 'Open:' },
] as const;

function Result({ check: { header, rules } }: { readonly check: Check }) {
  return (
    <div class="card">
      <h3>
        <code>{header}</code>
      </h3>
      <p class={`note ${verdicts[verdictOf(rules)].kind}`}>{verdicts[verdictOf(rules)].text}</p>
      <ul class="rules">
        {rules.map((rule) => (
          <RuleLine key={rule.name} rule={rule} />
        ))}
      </ul>
    </div>
  );
}

const verdicts = {
  bad: { kind: 'bad', text: 'A receiver refuses this request.' },
  open: { kind: '', text: 'Something is left to check.' },
  good: { kind: 'good', text: 'A receiver accepts this request.' },
} as const;

function verdictOf(rules: readonly Rule[]): keyof typeof verdicts {
  if (rules.some(({ isMet }) => isMet === false)) return 'bad';
  return rules.every(({ isMet }) => isMet === true) ? 'good' : 'open';
}

function RuleLine({ rule: { name, isMet, text } }: { readonly rule: Rule }) {
  const mark = marks.find((known) => known.isMet === isMet);
  return (
    <li>
      <span class={`number ${mark?.tone}`} role="img" aria-label={mark?.says}>
        {mark?.sign}
      </span>
      <div>
        <strong>{name}</strong>
        <p>
          <Marked text={text} />
        </p>
      </div>
    </li>
  );
}
