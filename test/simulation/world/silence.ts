/** The handlers log what goes wrong, and here a great deal does. To be imported before them. */
process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
