import { Page } from '../../parts/page.tsx';

export function DeliveriesView(_props: { readonly filters: import('../../routing/route.ts').Filters }) {
  return <Page title="Deliveries">{null}</Page>;
}
