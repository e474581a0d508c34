import { auditSpan } from '#shared/domain/progress.ts';
import { hour } from '../support/values/builders.ts';
import { accessPromises } from './invariants/access.ts';
import { attemptPromises } from './invariants/attempts.ts';
import { bulkReplayPromises, movingPromises } from './invariants/bulk-replays.ts';
import { customerPromises } from './invariants/customers.ts';
import { eventPromises } from './invariants/events.ts';
import { healthPromises } from './invariants/health.ts';
import { keyPromises } from './invariants/keys.ts';
import { lanePromises } from './invariants/lanes.ts';
import { bodiesIn, isGood, livenessPromises, wakingPromises } from './invariants/liveness.ts';
import { noticePromises } from './invariants/notices.ts';
import { broken } from './invariants/promises.ts';
import { replayPromises } from './invariants/replays.ts';
import { lookBack } from './invariants/seen.ts';
import { signaturePromises } from './invariants/signatures.ts';
import { timingPromises } from './invariants/timing.ts';
import { accessActs, finishDeletions } from './world/access.ts';
import type { WorldOptions } from './world/consumer.ts';
import { customerActs, customers, giveEndpoints, giveTombstones } from './world/customers.ts';
import { giveEnded } from './world/ended-before.ts';
import { engineActs } from './world/run-engine.ts';
import type { Act, Action, Script } from './world/script.ts';
import { World } from './world/world.ts';

/** After the storm, everything must end within this time: three attempts, and unfinished earlier work. */
const quietHours = 5;
/** More time if the audit is needed: until it runs, and three attempts after that. */
const hoursOfAudit = 9;

/** The promises that are checked at the end of a run. */
const promises = {
  ...attemptPromises,
  ...signaturePromises,
  ...eventPromises,
  ...customerPromises,
  ...replayPromises,
  ...keyPromises,
  ...bulkReplayPromises,
  ...accessPromises,
  ...timingPromises,
  ...lanePromises,
  ...healthPromises,
  ...noticePromises,
  ...livenessPromises,
};

/**
 * Plays one script: first the storm, in which people act and faults strike, then the quiet, in which nothing fails and
 * every delivery must end. Promises are checked at every write, when the storm ends, and at the end of the quiet.
 *
 * @returns the world at the end; its journal lists the broken promises
 */
export async function runScript(script: Script, options: WorldOptions = {}): Promise<World> {
  const world = new World(script, options);
  for (const customerId of customers) world.table.addCustomer(customerId);
  for (const [index, count] of script.endpoints.entries())
    giveEndpoints(world, customers[index] ?? customers[0], count);
  for (const customer of customers) giveTombstones(world, customer, script.deletedBefore ?? 0);
  await giveEnded(world, customers[0], script.endedBefore);
  await world.timeline.advanceTo(scheduleActions(world) + script.stormLasts);
  endStorm(world);
  const isAudited = needsAudit(world);
  const hours = isAudited ? quietHours + hoursOfAudit : quietHours;
  // An operator audits the time before the span of the regular audits, all of which may have failed.
  if (isAudited) world.audit({ from: 0, to: auditSpan(world.timeline.now).from });
  for (let passed = 0; passed < hours; passed += 1) {
    finishDeletions(world);
    world.redrive((letter) => isGood(letter, world.journal));
    await world.timeline.advanceTo(world.timeline.now + hour);
  }
  if (world.journal.violations.length === 0) world.report(broken(promises, lookBack(world)));
  return world;
}

/** @returns when the last action begins */
function scheduleActions(world: World): number {
  let time = world.timeline.now;
  for (const action of world.script.actions) {
    time += action.after;
    world.timeline.at(time, () => perform(world, action.do, action));
  }
  return time;
}

function endStorm(world: World): void {
  if (world.script.endsWithPowerCut) world.killAll();
  if (!world.isAnyoneAlive) world.report(broken({ ...wakingPromises, ...movingPromises }, world));
  world.calm();
}

/**
 * Whether only the audit continues some deliveries: the delivery queue lost a message, or the event of an intake message
 * has expired, so that the message, when it is put back, makes another event.
 */
function needsAudit({ journal, queues, script, timeline }: World): boolean {
  const kept = (script.retentionDays ?? Number.POSITIVE_INFINITY) * 24 * hour;
  const expired = journal.fanOuts.filter(({ at }) => timeline.now + journal.largestSkew >= at + kept);
  const intake = expired.length === 0 ? [] : bodiesIn(queues.intake);
  const makesAnother = expired.some(({ subjectId }) => intake.some((body) => body.includes(`"${subjectId}"`)));
  return makesAnother || journal.vanished.length > 0;
}

const acts: { readonly [D in Action['do']]: (world: World, action: Act<D>) => void } = {
  ...customerActs,
  ...accessActs,
  ...engineActs,
  outage: (world, { service, lasts }) => world.beginOutage(service, lasts),
  power_cut: (world) => world.killAll(),
};

function perform<D extends Action['do']>(world: World, name: D, action: Act<D>): void {
  acts[name](world, action);
}
