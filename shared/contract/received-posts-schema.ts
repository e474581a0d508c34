/** Keys of the table in which the receiver of smoke tests keeps what it got. */
export const receivedPostsSchema = {
  partitionKey: 'mailbox',
  sortKey: 'received',
  expiresAt: 'expires_at',
} as const;
