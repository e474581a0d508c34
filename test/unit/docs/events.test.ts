import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type EventRun, eventTypes, runCompletedBody } from '#shared/domain/event.ts';
import { bodyWithExample, bodies as storyBodies } from '../../../site/openapi/schemas/event-schemas.ts';
import { rowsWith } from '../../architecture/test-titles.ts';
import { expectShown, readPage } from '../../support/docs/page-examples.ts';

const { text: page } = await readPage('events.md');

const trackerCycle = z.object({
  id: z.string(),
  created_at: z.iso.datetime(),
  run_id: z.string(),
  kind: z.string(),
  tracker_id: z.string(),
});

/** A `run.completed` of the cycle in the example of `tracker.changed`. */
function completedCycle(): string {
  const cycle = trackerCycle.parse(JSON.parse(storyBodies['tracker.changed']));
  const run: EventRun = {
    id: cycle.run_id,
    kind: cycle.kind,
    status: 'partial',
    chargeUsd: 0.1,
    trackerId: cycle.tracker_id,
  };
  const head = { id: 'evt_01KB3NQ2M6P8R0T2V4X6Y8Z0A2', createdAt: Date.parse(cycle.created_at) };
  return runCompletedBody(head, run, 'https://api.example.com');
}

/** Bodies as they are sent. */
const bodies: Readonly<Record<string, string>> = {
  ...storyBodies,
  'run.completed of a Tracker': completedCycle(),
  'webhook.test with an example': bodyWithExample,
};
const examples = Object.fromEntries(
  Object.entries(bodies).map(([name, body]) => [name, z.record(z.string(), z.unknown()).parse(JSON.parse(body))]),
);

/** The example of a type that has every member. */
const fullest: Readonly<Record<string, string>> = {
  'run.completed': 'run.completed of a Tracker',
  'webhook.test': 'webhook.test with an example',
};

const membersOf = (name: string): readonly string[] => Object.keys(examples[name] ?? {});

/** The rows of the table of members in the section of an event: its name, and whether it is always present. */
function rowsOf(type: string): ReadonlyMap<string, string> {
  const section = page.split(`\n## \`${type}\`\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = rowsWith(section, 'Member');
  return new Map(rows.map(([name = '', , present = '']) => [name.replaceAll('`', ''), present]));
}

describe('docs/pages/events.md', () => {
  it('docs/pages/events.md shows each event as the service sends it, with line breaks', async () => {
    await expectShown('events.md', examples);
  });

  it('docs/pages/events.md has a section for every event, in the order of its overview', () => {
    const sections = [...page.matchAll(/^## `([^`]+)`$/gm)].map(([, type]) => type);
    const overview = [...page.matchAll(/^\| \[`([^`]+)`\]/gm)].map(([, type]) => type);

    expect(sections).toEqual([...eventTypes]);
    expect(overview).toEqual(sections);
  });

  it.each(eventTypes)('docs/pages/events.md lists every member of %s and says which are always there', (type) => {
    const least = membersOf(type);
    const most = membersOf(fullest[type] ?? type);
    const rows = rowsOf(type);

    expect([...rows.keys()]).toEqual(most);
    expect([...rows].filter(([, present]) => present === 'always').map(([name]) => name)).toEqual(least);
  });
});
