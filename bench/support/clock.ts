/** Milliseconds of the monotonic clock of this machine. All processes share it, so one can time what another began. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
