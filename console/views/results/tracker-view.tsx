import { Page } from '../../parts/page.tsx';

export function TrackerView(_props: { readonly trackerId: string }) {
  return <Page title="Tracker">{null}</Page>;
}
