import { beforeAll, describe, expect, it } from 'vitest';
import { acknowledgedIn, type Finding, findingsOf, isBelow, openFindings } from './nag.ts';
import { everyOption, landingZone, synthesizeStage } from './synthesized-stage.ts';

describe.each([
  ['a stage that does not retain its data', {}],
  ['a stage that retains its data, with every option', everyOption],
  ['a stage in a landing zone', landingZone],
])('%s', (_name, context) => {
  let acknowledged: readonly Finding[];
  let findings: readonly Finding[];

  beforeAll(async () => {
    const { app } = await synthesizeStage(context);
    acknowledged = acknowledgedIn(app);
    findings = findingsOf(app);
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
