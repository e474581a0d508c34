import type { ComponentChildren } from 'preact';
import { hrefOf, type Route } from '../routing/route.ts';
import { Badge, type Status } from './badge.tsx';

type Row = {
  readonly status?: Status;
  readonly what: ComponentChildren;
  /** At the end: a time, or what matters more. */
  readonly when: ComponentChildren;
  /** The view of the item. */
  readonly to: Route;
};

type Props<T> = {
  readonly items: readonly T[];
  /** More classes of the list: `two` for rows without a status. */
  readonly kind?: string;
  /** Id of the item whose view is open. */
  readonly current?: string;
  readonly row: (item: T) => Row;
};

/** Items of a list, each a link to its view. */
export function Rows<T extends { readonly id: string }>({ items, kind = '', current, row }: Props<T>) {
  return (
    <ul class={`rows ${kind}`}>
      {items.map((item) => {
        const { status, what, when, to } = row(item);
        return (
          <li key={item.id}>
            <a class="row" href={hrefOf(to)} aria-current={item.id === current ? 'page' : undefined}>
              {status !== undefined && <Badge status={status} />}
              <span class="what">{what}</span>
              <span class="muted when">{when}</span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}
