import { Page } from '../../parts/page.tsx';

export function RunView(_props: { readonly runId: string }) {
  return <Page title="Run">{null}</Page>;
}
