import type { ComponentChildren } from 'preact';
import { hrefOf, type Route } from '../routing/route.ts';

type Props<T> = {
  readonly items: readonly T[];
  /** More classes of the list. */
  readonly kind?: string;
  /** The view of an item. */
  readonly to: (item: T) => Route;
  /** Id of the item whose view is open. */
  readonly current?: string;
  readonly children: (item: T) => ComponentChildren;
};

/** Items of a list, each a link to its view. */
export function Rows<T extends { readonly id: string }>({
  items,
  kind = '',
  to,
  current,
  children,
}: Props<T>) {
  return (
    <ul class={`rows ${kind}`}>
      {items.map((item) => (
        <li key={item.id}>
          <a class="row" href={hrefOf(to(item))} aria-current={item.id === current ? 'page' : undefined}>
            {children(item)}
          </a>
        </li>
      ))}
    </ul>
  );
}
