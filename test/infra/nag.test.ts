import { App, Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { WebhookService } from '../../lib/webhook-service.ts';
import { useFolder } from '../support/vitest/temporary-folder.ts';
import { everyOption, landingZone, openStage, synthesizeStage, writePlaceholders } from './synthesized-stage.ts';

/** One rule of a pack, with a resource that it applies to. */
type Finding = { readonly id: string; readonly path: string };

const acknowledgedSchema = z.record(z.string(), z.string());

describe.each([
  ['a stage that does not retain its data', {}],
  ['a stage that retains its data, with every option', everyOption],
  ['a stage in a landing zone', landingZone],
])('%s', (_name, context) => {
  const folder = useFolder();
  let acknowledged: readonly Finding[];
  let findings: readonly Finding[];

  beforeAll(async () => {
    acknowledged = acknowledgedIn((await synthesizeStage(context)).app);
    const acknowledge = vi.spyOn(Validations.prototype, 'acknowledge').mockReturnValue();
    findings = findingsOf(await openStage(context, folder()));
    acknowledge.mockRestore();
  });

  it('every finding of cdk-nag is acknowledged, with a reason, where the resource is created', () => {
    const open = openFindings(findings, acknowledged);

    expect(open, 'Fix these, or acknowledge them where the construct is created').toEqual([]);
  });

  it('every acknowledgement belongs to a finding of cdk-nag', () => {
    const stale = acknowledged.filter((given) => !findings.some(isBelow(given)));

    expect(findings.length).toBeGreaterThan(0);
    expect(stale).toEqual([]);
  });
});

describe('a service in an app that names its account and Region', () => {
  const folder = useFolder();

  it('every finding of cdk-nag is acknowledged', async () => {
    const app = new App({ outdir: folder() });
    const env = { account: '123456789012', region: 'eu-central-1' };
    const bundles = await writePlaceholders(folder());
    new WebhookService(new Stack(app, 'Platform', { env }), 'Webhooks', { bundles, backupDays: 7 });

    expect(openFindings(findingsOf(app), acknowledgedIn(app))).toEqual([]);
  });
});

function openFindings(findings: readonly Finding[], acknowledged: readonly Finding[]): readonly Finding[] {
  return findings.filter((finding) => !acknowledged.some((given) => isBelow(given)(finding)));
}

function findingsOf(app: App): readonly Finding[] {
  const packs = [new AwsSolutionsChecks(app), new ServerlessChecks(app)];
  const violations = packs.flatMap((pack) => pack.validateScope(app).violations);
  return violations.flatMap(({ ruleName, violatingResources }) =>
    violatingResources.map(({ constructPath = '' }) => ({ id: ruleName, path: constructPath })),
  );
}

function acknowledgedIn(app: App): readonly Finding[] {
  return app.node.findAll().flatMap(({ node }) =>
    node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.keys(acknowledgedSchema.parse(data)))
      .map((id) => ({ id: id.replace(/^annotation::/i, ''), path: node.path }))
      // The CDK acknowledges rules of its own validation.
      .filter(({ id }) => !id.startsWith('CloudFormation-Validate::')),
  );
}

function isBelow(acknowledged: Finding): (finding: Finding) => boolean {
  return ({ id, path }) =>
    id === acknowledged.id && (path === acknowledged.path || path.startsWith(`${acknowledged.path}/`));
}
