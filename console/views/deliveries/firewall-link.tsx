import { NewTab } from '../../parts/values.tsx';
import { mayBeFirewall } from './delivery-facts.ts';

/** The way to what a firewall must allow, where one may have refused the body. */
export function FirewallLink({ delivery }: { readonly delivery: Parameters<typeof mayBeFirewall>[0] }) {
  if (!mayBeFirewall(delivery)) return null;
  return <NewTab href="docs/troubleshooting#a-firewall-refuses-events">What a firewall must allow</NewTab>;
}
