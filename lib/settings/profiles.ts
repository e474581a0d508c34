/** What a stage does for a lower price. docs/scaling.md has the price and the delay of each. */
export const profiles = {
  economy: { batchWindow: 5, tableCapacity: 'provisioned', requestMemory: 256 },
  balanced: { batchWindow: 2, tableCapacity: 'on-demand', requestMemory: 512 },
  fast: { batchWindow: 0, tableCapacity: 'on-demand', requestMemory: 512 },
} as const;

type ProfileName = keyof typeof profiles;

type Given = {
  readonly profile: ProfileName;
  readonly batchWindow?: number | undefined;
  readonly tableCapacity?: 'on-demand' | 'provisioned' | undefined;
};

/** A setting of its own goes before the profile. */
export function withProfile<S extends Given>(given: S) {
  const { batchWindow, tableCapacity, requestMemory } = profiles[given.profile];
  return {
    ...given,
    batchWindow: given.batchWindow ?? batchWindow,
    tableCapacity: given.tableCapacity ?? tableCapacity,
    /** Megabytes of a function that answers requests. */
    requestMemory,
  };
}
