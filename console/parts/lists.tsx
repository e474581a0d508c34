import type { ComponentChildren } from 'preact';
import { hrefOf, type Route } from '../routing/route.ts';
import { useSession } from '../session/session.ts';
import { ActionButton } from './actions.tsx';
import { type Known, keyOf, type Listed } from './pages.ts';
import { LoadedView } from './states.tsx';
import type { Live } from './use-live-refresh.ts';
import type { Pages } from './use-pages.ts';
import { Badge, type Status } from './values.tsx';

type Row = {
  readonly status?: Status;
  /** In the place of a status. */
  readonly lead?: ComponentChildren;
  /** The color of the status; by default its own. */
  readonly tone?: string | undefined;
  readonly what: ComponentChildren;
  /** At the end: a time, or what matters more. */
  readonly when: ComponentChildren;
  /** The view of the item, if it has one. */
  readonly to?: Route;
};

type RowsProps<T> = {
  readonly items: readonly T[];
  /** More classes of the list: `two` for rows without a status. */
  readonly kind?: string;
  readonly current?: string;
  readonly row: (item: T) => Row;
};

/** Items of a list. */
export function Rows<T extends Listed>({ items, kind = '', current, row }: RowsProps<T>) {
  return (
    <ul class={`rows ${kind}`}>
      {items.map((item) => {
        const { status, tone, lead, what, when, to } = row(item);
        const cells = (
          <>
            {status === undefined ? lead : <Badge status={status} tone={tone} />}
            <span class="what">{what}</span>
            <span class="muted when">{when}</span>
          </>
        );
        const link = to && (
          <a class="row" href={hrefOf(to)} aria-current={item.id === current ? 'page' : undefined}>
            {cells}
          </a>
        );
        return (
          <li key={keyOf(item)} class={to ? undefined : 'row'}>
            {link ?? cells}
          </li>
        );
      })}
    </ul>
  );
}

type PagedProps<T extends Listed> = {
  readonly pages: Pages<T>;
  /** What is read: `Runs`. */
  readonly what: string;
  readonly live?: Live<Known<T>>;
  readonly none?: ComponentChildren;
  readonly children: (known: Known<T>) => ComponentChildren;
};

/** A list with a button below it that loads the page that follows. A page can be empty and have a next one. */
export function PagedList<T extends Listed>({ pages, what, live, none, children }: PagedProps<T>) {
  const { announce } = useSession();
  const { load, loadOlder } = pages;
  const addOlder = async () => {
    const count = await loadOlder();
    announce(count === 0 ? 'No older match so far' : `${count} older ${what} were added`);
  };
  return (
    <>
      <LoadedView load={load} what={`the ${what}`} live={live}>
        {(known) =>
          none !== undefined && known.items.length === 0 && known.next_cursor === null ? none : children(known)
        }
      </LoadedView>
      {load.value !== null && load.value.next_cursor !== null && (
        <ActionButton
          label={`Load older ${what}`}
          busyLabel="Loading…"
          kind="more"
          failed={`Could not load older ${what}`}
          act={addOlder}
        />
      )}
    </>
  );
}
