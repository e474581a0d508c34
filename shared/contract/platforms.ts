/** Platforms whose creators can be queried, unless a deployment names others. */
export const defaultPlatforms = ['tiktok', 'instagram', 'youtube'] as const;
