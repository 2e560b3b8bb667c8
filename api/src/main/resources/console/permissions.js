/** What the caller may do, as the API says it: an action that is not allowed is not in the page. */
import { get } from "./api.js";
import { Query } from "./query.js";

/** Permissions change within seconds at the service; a page asks again after this time. */
export const EVERY_MS = 60_000;

/**
 * The caller with its permissions. During an upgrade a replica of the previous version may answer,
 * which refuses operationId: the caller is then returned without permissions.
 *
 * @param {Record<string, unknown>} params @param {AbortSignal} [signal]
 */
export const caller = (params, signal) =>
  get("/me", params, signal).catch((failure) => {
    if (failure.status !== 400) throw failure;
    return get("/me", {}, signal);
  });

/**
 * Holds the allowed operations with "yes", or "own" for own objects alone. Nothing is allowed before
 * the API has answered.
 *
 * @param {import("lit").LitElement} host
 * @param {string[]} operations of the API
 * @param {() => string | null} [project] whose roles count too; null for all of them
 */
export function permissions(host, operations, project = () => null) {
  /** @param {AbortSignal} signal */
  const read = (signal) => caller({ project: project(), operationId: operations }, signal);
  const query = new Query(host, async (signal) => (await read(signal)).allowed ?? {}, { every: EVERY_MS });
  return {
    /** @param {string} operation */
    may: (operation) => query.value?.[operation] !== undefined,
    /** @param {string} operation whether it is allowed beyond own objects */
    all: (operation) => query.value?.[operation] === "yes",
    restart: () => query.restart(),
  };
}
