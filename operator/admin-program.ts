import { Command } from 'commander';
import { addAuditCommand } from './audit-command.ts';
import { addConnectionCommands } from './connection-commands.ts';
import { addCustomerCommands } from './customer-commands.ts';
import { addDeadLetterCommands } from './dead-letter-commands.ts';
import { addDeliveryCommands } from './delivery-commands.ts';
import { addKeyCommands } from './key-commands.ts';
import { type Output, outputTo } from './output.ts';
import { addPortalLinkCommands } from './portal-link-commands.ts';
import { addReplayCommand } from './replay-command.ts';
import { addReplaysCommands } from './replays-commands.ts';
import { addTokenCommands } from './token-commands.ts';
import { addWebhookCommands } from './webhook-commands.ts';

/** The operator's command line. */
export function adminProgram(print: Output): Command {
  const program = new Command('npm run admin --')
    .description('Administer the local stack or a deployed stage')
    .configureOutput(outputTo(print));
  addCustomerCommands(program.command('customers').description('Customers'), print);
  addKeyCommands(program.command('keys').description('API keys'), print);
  addConnectionCommands(
    program.command('connections').description('Connections, which access tokens act through'),
    print,
  );
  addWebhookCommands(program.command('webhooks').description('Endpoints'), print);
  addPortalLinkCommands(
    program.command('portal-link').description('Links that sign a customer in to the console'),
    print,
  );
  addDeliveryCommands(program.command('deliveries').description('Deliveries'), print);
  addTokenCommands(program.command('tokens').description('Access tokens of the local stack'), print);
  addDeadLetterCommands(
    program.command('dead-letters').description('Messages that could not be processed'),
    print,
  );
  addReplayCommand(program.command('replay'), print);
  addReplaysCommands(program.command('replays').description('Bulk replays'), print);
  addAuditCommand(program.command('audit'), print);
  return program;
}
