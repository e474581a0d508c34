import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import * as z from 'zod';

/** One rule of a pack, with a resource that it applies to. */
export type Finding = { readonly id: string; readonly path: string };

const acknowledgedSchema = z.record(z.string(), z.string());

export function openFindings(findings: readonly Finding[], acknowledged: readonly Finding[]): readonly Finding[] {
  return findings.filter((finding) => !acknowledged.some((given) => isBelow(given)(finding)));
}

/** What the packs find, acknowledged or not. */
export function findingsOf(scope: IConstruct): readonly Finding[] {
  const packs = [new AwsSolutionsChecks(), new ServerlessChecks()];
  for (const pack of packs) Object.assign(pack, { isAcknowledged: () => false });
  const violations = packs.flatMap((pack) => pack.validateScope(scope).violations);
  return violations.flatMap(({ ruleName, violatingResources }) =>
    violatingResources.map(({ constructPath = '' }) => ({ id: ruleName, path: constructPath })),
  );
}

export function acknowledgedIn(scope: IConstruct): readonly Finding[] {
  return scope.node.findAll().flatMap(({ node }) =>
    node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.keys(acknowledgedSchema.parse(data)))
      .map((id) => ({ id: id.replace(/^annotation::/i, ''), path: node.path }))
      // The CDK acknowledges rules of its own validation.
      .filter(({ id }) => !id.startsWith('CloudFormation-Validate::')),
  );
}

export function isBelow(acknowledged: Finding): (finding: Finding) => boolean {
  return ({ id, path }) =>
    id === acknowledged.id && (path === acknowledged.path || path.startsWith(`${acknowledged.path}/`));
}
