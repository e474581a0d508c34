import { useState } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import type { EndpointDelivery } from '../../api/records.ts';
import { useAction } from '../../parts/actions.tsx';
import { FailureCard } from '../../parts/states.tsx';
import { countOf } from '../../parts/texts.ts';
import type { Filters } from '../../routing/route.ts';
import { useSession } from '../../session/session.ts';
import { csvOf } from './csv.ts';
import { readDeliveries } from './read-deliveries.ts';

const mostRows = 1_000;

/** With filters, pages can be short. At most this number is read, which leaves requests for the reader. */
const mostPages = 20;

const formats = {
  CSV: { type: 'text/csv', textOf: csvOf },
  JSON: {
    type: 'application/json',
    textOf: (rows: readonly EndpointDelivery[]) => JSON.stringify(rows, null, 2),
  },
} as const;

/** Buttons that save the deliveries that match the filters as a file. */
export function Export({ filters }: { readonly filters: Filters }) {
  const { api, announce } = useSession();
  const [note, setNote] = useState('');
  const { busy, failure, run } = useAction(async (name: keyof typeof formats) => {
    setNote('');
    const rows: EndpointDelivery[] = [];
    let cursor: string | null | undefined;
    for (let count = 0; count < mostPages && cursor !== null && rows.length < mostRows; count += 1) {
      const page = await resultOf(
        readDeliveries(api, filters, { limit: '100', ...(cursor === undefined ? {} : { cursor }) }),
      );
      rows.push(...page.items);
      cursor = page.next_cursor;
    }
    const { type, textOf } = formats[name];
    save(`deliveries.${name.toLowerCase()}`, new Blob([textOf(rows)], { type }));
    const count = `The file has ${countOf(rows.length)}`;
    if (cursor === null) announce(count);
    else setNote(`${count}. Older ones that match may be missing.`);
  });
  return (
    <>
      {(['CSV', 'JSON'] as const).map((name) => (
        <button
          key={name}
          type="button"
          class="copy"
          aria-label={`Save as ${name}`}
          title={`Save what is filtered as ${name}, up to 1,000 deliveries`}
          aria-disabled={busy}
          onClick={() => void run(name)}
        >
          {name}
        </button>
      ))}
      {note !== '' && (
        <p class="note" role="status">
          {note}
        </p>
      )}
      {failure !== null && <FailureCard failure={failure} what="Could not save the deliveries" />}
    </>
  );
}

function save(name: string, content: Blob): void {
  const href = URL.createObjectURL(content);
  Object.assign(document.createElement('a'), { href, download: name }).click();
  URL.revokeObjectURL(href);
}
