/** Who calls the API: a token in the storage of this tab, or no token where the service needs none. */

const TOKEN = "fairlead.token";
const PENDING = "fairlead.signIn";

/**
 * @typedef {{issuer: string, clientId: string, scopes: string[]}} SignIn the issuer and its client for browsers
 * @typedef {{verifier: string, state: string, hash: string, tokenEndpoint: string}} PendingSignIn
 */

/** @type {SignIn | null} */
let signIn = null;

/** @returns {Record<string, string>} the header that carries the token, if there is one */
export function authorization() {
  const token = sessionStorage.getItem(TOKEN);
  return token ? { Authorization: `Bearer ${token}` } : {};
}

export const hasToken = () => sessionStorage.getItem(TOKEN) !== null;
export const canSignIn = () => signIn !== null;

/** @param {string} token */
export const useToken = (token) => sessionStorage.setItem(TOKEN, token.trim());
export const forgetToken = () => sessionStorage.removeItem(TOKEN);

/**
 * Reads where people sign in. Completes a sign-in when the issuer has sent the browser back here.
 *
 * @throws {Error} when the issuer refused, or its answer belongs to another sign-in
 */
export async function openSession() {
  const answer = await fetch("config.json");
  if (!answer.ok) throw new Error(`The service answered ${answer.status}.`);
  signIn = (await answer.json()).signIn;
  const query = new URLSearchParams(location.search);
  if (query.has("state")) await completeSignIn(query);
}

/** Leaves for the issuer's page: authorization code with PKCE (RFC 7636). */
export async function beginSignIn() {
  if (!signIn) throw new Error("No issuer is configured.");
  const base = signIn.issuer.replace(/\/$/, "");
  const discovery = await fetch(`${base}/.well-known/openid-configuration`);
  if (!discovery.ok) throw new Error(`The issuer ${base} answered ${discovery.status}.`);
  const { authorization_endpoint: page, token_endpoint: tokenEndpoint } = await discovery.json();
  const verifier = randomText();
  const challenge = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  /** @type {PendingSignIn} */
  const pending = { verifier, state: randomText(), hash: location.hash, tokenEndpoint };
  sessionStorage.setItem(PENDING, JSON.stringify(pending));
  const target = new URL(page);
  const parameters = {
    response_type: "code",
    client_id: signIn.clientId,
    redirect_uri: callback(),
    scope: signIn.scopes.join(" "),
    state: pending.state,
    code_challenge: base64url(new Uint8Array(challenge)),
    code_challenge_method: "S256",
  };
  Object.entries(parameters).forEach(([name, value]) => target.searchParams.set(name, value));
  location.assign(target);
}

/** @param {URLSearchParams} query what the issuer appended to the redirect address */
async function completeSignIn(query) {
  const stored = sessionStorage.getItem(PENDING);
  sessionStorage.removeItem(PENDING);
  /** @type {PendingSignIn | null} */
  const pending = stored ? JSON.parse(stored) : null;
  history.replaceState(null, "", callback() + (pending?.hash ?? ""));
  if (query.has("error")) {
    throw new Error(`The issuer refused: ${query.get("error_description") ?? query.get("error")}`);
  }
  if (!signIn || !pending || query.get("state") !== pending.state) {
    throw new Error("The issuer's answer does not belong to a sign-in of this tab. Sign in again.");
  }
  const answer = await fetch(pending.tokenEndpoint, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code: query.get("code") ?? "",
      redirect_uri: callback(),
      client_id: signIn.clientId,
      code_verifier: pending.verifier,
    }),
  });
  const token = await answer.json().catch(() => ({}));
  if (!answer.ok || !token.access_token) {
    throw new Error(`The issuer gave no token: ${token.error_description ?? token.error ?? answer.status}`);
  }
  useToken(token.access_token);
}

/** The redirect address, as the client is registered at the issuer. */
const callback = () => location.origin + location.pathname;

const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** @param {Uint8Array} bytes */
const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
