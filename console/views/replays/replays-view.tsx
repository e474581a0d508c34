import { Page } from '../../parts/page.tsx';

export function ReplaysView(_props: { readonly webhookId: string }) {
  return <Page title="Resend">{null}</Page>;
}
