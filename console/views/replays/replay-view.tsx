import { Page } from '../../parts/page.tsx';

export function ReplayView(_props: { readonly webhookId: string; readonly replayId: string }) {
  return <Page title="Resend">{null}</Page>;
}
