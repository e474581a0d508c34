/** Silences the logs of the handlers, which would report every injected fault. Import it before them. */
process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
