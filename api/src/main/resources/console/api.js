/** Calls of the public API. The console has no other source of data. */
import { authorization, forgetToken, hasToken } from "./session.js";

const LONGEST_MS = 30_000;

/** An answer of the API that is not a success, or no answer at all. */
export class Problem extends Error {
  /**
   * @param {number} status of HTTP; 0 when no answer came
   * @param {{code?: string, detail?: string, title?: string, requestId?: string,
   *   errors?: {field?: string, message?: string}[]}} document as RFC 9457 has it
   */
  constructor(status, document) {
    const fields = (document.errors ?? []).map((e) => [e.field, e.message].filter(Boolean).join(": "));
    super([document.detail ?? document.title ?? `status ${status}`, ...fields].join(" "));
    this.status = status;
    this.code = document.code ?? "";
    this.requestId = document.requestId ?? "";
  }
}

/** Raised on the document when the API wants a caller that it knows. */
export const UNAUTHENTICATED = "fl-unauthenticated";

/**
 * @typedef {{method?: string, path: string, params?: Record<string, unknown>}} Call
 * @typedef {{items: any[], nextPageToken: string | null}} Page
 */

/**
 * The address of a call. Parameters without a value are left out, lists are repeated.
 *
 * @param {Call} call
 */
export function address({ path, params = {} }) {
  const url = new URL(`../api/v1${path}`, location.href);
  url.hash = "";
  for (const [name, value] of Object.entries(params)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") url.searchParams.append(name, String(one));
    }
  }
  return url;
}

/**
 * The same call for a shell.
 *
 * @param {Call} call
 */
export function curl(call) {
  const token = hasToken() ? ' -H "Authorization: Bearer $FAIRLEAD_TOKEN"' : "";
  const method = call.method && call.method !== "GET" ? ` -X ${call.method}` : "";
  return `curl -s${method}${token} '${address(call).href.replaceAll("'", "%27")}'`;
}

/**
 * Sends a call and hands back the open answer.
 *
 * @param {Call & {body?: unknown, headers?: Record<string, string>, signal?: AbortSignal}} call
 * @returns {Promise<Response>}
 * @throws {Problem} unless the status is 2xx
 */
export async function open(call) {
  let answer;
  try {
    answer = await fetch(address(call), {
      method: call.method ?? "GET",
      headers: {
        Accept: "application/json",
        ...(call.body !== undefined && { "Content-Type": "application/json" }),
        ...authorization(),
        ...call.headers,
      },
      body: call.body === undefined ? undefined : JSON.stringify(call.body),
      signal: call.signal,
      cache: "no-store",
    });
  } catch (failure) {
    if (call.signal?.aborted && call.signal.reason?.name !== "TimeoutError") throw failure;
    const detail = call.signal?.aborted
      ? `The service has not answered for ${LONGEST_MS / 1000} s.`
      : "The service cannot be reached.";
    throw new Problem(0, { detail });
  }
  if (answer.ok) return answer;
  if (answer.status === 401) {
    forgetToken();
    document.dispatchEvent(new CustomEvent(UNAUTHENTICATED));
  }
  throw new Problem(answer.status, await answer.json().catch(() => ({ title: answer.statusText })));
}

/**
 * @template {string} P
 * @param {P} path below /api/v1
 * @param {Record<string, unknown>} [params]
 * @param {AbortSignal} [signal]
 * @returns {Promise<Api.Answer<P>>}
 */
export async function get(path, params, signal) {
  return (await open({ path, params, signal: bounded(signal) })).json();
}

/**
 * @param {Call & {body?: unknown, headers?: Record<string, string>}} call
 * @returns {Promise<any>} null for an answer without content
 */
export async function send(call) {
  const answer = await open({ method: "POST", ...call, signal: bounded() });
  return answer.status === 204 ? null : answer.json();
}

/** @param {AbortSignal} [signal] */
function bounded(signal) {
  const longest = AbortSignal.timeout(LONGEST_MS);
  return signal ? AbortSignal.any([signal, longest]) : longest;
}
