import type { DeliveryDetail } from '../../api/records.ts';
import { CopyButton } from '../../parts/copy.tsx';

/** What every attempt sends: its headers and its body. */
export function Sent({ delivery }: { readonly delivery: DeliveryDetail }) {
  return (
    <section class="card" aria-labelledby="sent-title">
      <h2 id="sent-title">Request</h2>
      <table class="headers">
        <caption>Headers</caption>
        <tbody>
          {delivery.request_headers.map(({ name, value }) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>
                {value === null ? <em class="muted">computed at each attempt</em> : <code>{value}</code>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="heading">
        <h3>Body</h3>
        <CopyButton text={delivery.body} what="body" />
      </div>
      <pre class="body">{delivery.body}</pre>
      <p class="muted">
        Exactly these bytes are signed and sent, on every attempt and every replay. Verify a signature over
        them before you parse them:{' '}
        <a href="docs/receive-and-verify" target="_blank" rel="noreferrer">
          how to verify, in eight languages
        </a>
        .
      </p>
    </section>
  );
}
