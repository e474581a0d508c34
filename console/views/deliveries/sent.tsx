import { useState } from 'preact/hooks';
import type { DeliveryDetail } from '../../api/records.ts';
import { signatureTolerance } from '../../api/service-facts.ts';
import { Section } from '../../parts/page.tsx';
import { CopyButton, Marked, NewTab } from '../../parts/values.tsx';
import { hrefOf } from '../../routing/route.ts';
import { computedHeaders, curlCommand } from './curl.ts';
import { formattedJson, signatureHeader } from './delivery-facts.ts';

type SentProps = {
  readonly delivery: DeliveryDetail;
  /** That of its endpoint; `null` until it is loaded. */
  readonly url: string | null;
};

/** What every attempt sends: its headers and its body, and how to verify them. */
export function Sent({ delivery, url }: SentProps) {
  return (
    <Section title="Request" kind="card">
      <h3>Headers</h3>
      <table class="headers">
        <tbody>
          {delivery.request_headers.map(({ name, value }) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>{value === null ? <em class="muted">computed at each attempt</em> : <code>{value}</code>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Body text={delivery.body} />
      {url !== null && <Command delivery={delivery} url={url} />}
      <Verify delivery={delivery} />
    </Section>
  );
}

function Body({ text }: { readonly text: string }) {
  const [isFormatted, setFormatted] = useState(false);
  const formatted = formattedJson(text);
  return (
    <>
      <div class="heading">
        <h3>Body</h3>
        <div class="actions">
          {formatted !== null && (
            <button type="button" class="copy" aria-pressed={isFormatted} onClick={() => setFormatted(!isFormatted)}>
              Format
            </button>
          )}
          <CopyButton text={text} what="body" />
        </div>
      </div>
      <pre>{isFormatted && formatted !== null ? formatted : text}</pre>
      <p class="muted small">
        {isFormatted
          ? 'Formatted for reading. The copy has the exact bytes that were sent.'
          : 'Exactly these bytes are signed and sent, on every attempt and every resend.'}
      </p>
    </>
  );
}

/** The request as a command, to send it to a receiver by hand. */
function Command({ delivery, url }: { readonly delivery: DeliveryDetail; readonly url: string }) {
  const { request_headers: headers, body } = delivery;
  const command = curlCommand({ url, headers, body });
  const missing = computedHeaders({ headers });
  return (
    <details class="verify">
      <summary>Send it with curl</summary>
      <div class="heading">
        <p class="muted small">For sh, bash and zsh. Change the address to send it elsewhere.</p>
        <CopyButton text={command} what="curl command" />
      </div>
      <pre>{command}</pre>
      {missing.length > 0 && (
        <p class="muted small">
          It has no <Marked text={missing.map((name) => `\`${name}\``).join(', ')} />: each attempt computes them with
          your secret. A receiver that verifies signatures refuses this request.
        </p>
      )}
    </details>
  );
}

/** @param header name of the header with the signature */
const stepsWith = (header: string) => [
  `Take \`t\` and \`v1\` from ${header}. During a rotation it has one \`v1\` for each secret.`,
  `Refuse the request if \`t\` is more than ${signatureTolerance} seconds away from your clock.`,
  'Compute the HMAC-SHA256 of `t`, a dot and the raw body, in lower-case hex. The key is the whole secret, `whsec_` included.',
  'Accept the request if it equals any `v1`, compared in constant time.',
];

function Verify({ delivery }: { readonly delivery: DeliveryDetail }) {
  const header = signatureHeader(delivery.request_headers);
  return (
    <details class="verify">
      <summary>How to verify it</summary>
      <ol>
        {stepsWith(header === null ? 'the signature header' : `\`${header}\``).map((step) => (
          <li key={step}>
            <Marked text={step} />
          </li>
        ))}
      </ol>
      <p>
        <NewTab href="docs/receive-and-verify">Code in eight languages</NewTab>
        {' · '}
        <a href={hrefOf({ view: 'signature' })}>Check a request that your receiver got</a>
      </p>
    </details>
  );
}
