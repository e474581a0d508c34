import type { Webhook } from '../../api/records.ts';

/** An endpoint in a row of a list: its URL, and the description that the reader gave it. */
export function EndpointName({ endpoint: { url, description } }: { readonly endpoint: Webhook }) {
  return (
    <>
      <bdi class="url">{url}</bdi>
      {description !== '' && <bdi class="muted text">{description}</bdi>}
    </>
  );
}
