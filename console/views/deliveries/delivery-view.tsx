import { Page } from '../../parts/page.tsx';

export function DeliveryView(_props: { readonly webhookId: string; readonly deliveryId: string }) {
  return <Page title="Delivery">{null}</Page>;
}
