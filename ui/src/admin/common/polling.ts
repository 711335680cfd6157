/** How a screen keeps up with the server. Must never count as activity: polls go out as background calls. */

/** Pause between two polls in milliseconds: a new report must be on screen within 3 s. */
export const POLL_MS = 2000;
const POLL_FAILING_MS = 5000;

/** For `refetchInterval`: slower while failing, back to normal with the first answer. */
export function pollEvery(query: { state: { status: string } }): number {
  return query.state.status === 'error' ? POLL_FAILING_MS : POLL_MS;
}
