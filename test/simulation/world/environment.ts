/** What the handlers' modules read when they are loaded. Import it before them. */
process.env.STAGE ??= 'test';
/** Their logs would report every injected fault. */
process.env.AWS_LAMBDA_LOG_LEVEL = 'FATAL';
