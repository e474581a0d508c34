import { Page } from '../../parts/page.tsx';

export function EndpointView(_props: { readonly webhookId: string }) {
  return <Page title="Endpoint">{null}</Page>;
}
