import { Command } from 'commander';
import { addConnectionCommands } from '../customers/connection-commands.ts';
import { addCustomerCommands } from '../customers/customer-commands.ts';
import { addKeyCommands } from '../customers/key-commands.ts';
import { addPortalLinkCommands } from '../customers/portal-link-commands.ts';
import { addTokenCommands } from '../customers/token-commands.ts';
import { addDeadLetterCommands } from '../dead-letters/dead-letter-commands.ts';
import { addAuditCommand } from '../deliveries/audit-command.ts';
import { addDeliveryCommands } from '../deliveries/delivery-commands.ts';
import { addWebhookCommands } from '../endpoints/webhook-commands.ts';
import { addReplayCommands } from '../replays/replay-commands.ts';
import { addStartCommand } from '../replays/start-command.ts';
import { type Output, outputTo } from './output.ts';

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
  const replay = program.command('replay').description('Bulk replays');
  addStartCommand(replay.command('start', { isDefault: true }), print);
  addReplayCommands(replay, print);
  // The earlier name of the same commands.
  addReplayCommands(program.command('replays', { hidden: true }), print);
  addAuditCommand(program.command('audit'), print);
  return program;
}
