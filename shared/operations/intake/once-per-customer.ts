/**
 * A batch reads what belongs to a customer once. Its messages begin together, so each of them would read at the same
 * moment; a repeated message is in another batch and reads again.
 */
export function oncePerCustomer<T>(read: (customerId: string) => Promise<T>): (customerId: string) => Promise<T> {
  const asked = new Map<string, Promise<T>>();
  return (customerId) => {
    const answer = asked.get(customerId) ?? read(customerId);
    asked.set(customerId, answer);
    return answer;
  };
}
