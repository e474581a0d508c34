/** What the handlers' modules read when they are loaded. Import it before them. */
process.env.STAGE ??= 'test';
/** Their logs would report every injected fault. */
process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
