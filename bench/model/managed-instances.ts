import { ec2, hoursPerMonth, lambda } from '../prices.ts';
import { deliverWork, intakeWork } from './assumptions.ts';
import { deployed } from './deployed.ts';
import { gbMsPerMessage } from './lambda.ts';

/** m7g.large; by default, three instances run for availability, and CPU is half used. */
const instance = { vcpus: 2, least: 3, cpuUse: 0.5 } as const;

const secondsPerMonth = hoursPerMonth * 3_600;

/** CPU-milliseconds of an event, all in batches of one. */
function cpuPerEvent(): number {
  return [intakeWork, deliverWork].reduce((sum, work) => sum + work.cpuPerInvocation + work.cpuPerMessage, 0);
}

/** US dollars a month for memory and time of both queue functions, in batches of `batch`. */
export function lambdaMonth(rate: number, batch: number): number {
  const gbMs =
    gbMsPerMessage(deployed.intake.memoryMb, intakeWork, batch) +
    gbMsPerMessage(deployed.deliver.memoryMb, deliverWork, batch);
  return (rate * secondsPerMonth * gbMs * lambda.gbSecond) / 1_000;
}

/** EC2 instances that the CPU of both queue functions needs: waiting occupies none of them. */
export function instancesFor(rate: number): number {
  const vcpus = (rate * cpuPerEvent()) / 1_000 / instance.cpuUse;
  return Math.max(instance.least, Math.ceil(vcpus / instance.vcpus));
}

/** US dollars a month for the instances, without the NAT gateways that their POSTs need. */
export function instancesMonth(rate: number): number {
  return instancesFor(rate) * ec2.m7gLargeHour * (1 + lambda.managedInstanceFee) * hoursPerMonth;
}
