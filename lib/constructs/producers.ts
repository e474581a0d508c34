import { AccountPrincipal, ArnPrincipal, type IPrincipal } from 'aws-cdk-lib/aws-iam';

/** @param names account ids, or ARNs of roles and accounts */
export function principalsOf(names: readonly string[]): IPrincipal[] {
  return names.map((name) => (name.startsWith('arn:') ? new ArnPrincipal(name) : new AccountPrincipal(name)));
}
