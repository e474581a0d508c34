import { Page } from '../../parts/page.tsx';

export function NewEndpointView() {
  return <Page title="New endpoint">{null}</Page>;
}
