/** API tokens: the caller's, or all of the tenant for its owners. A new one is shown once. */
import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { get } from "./api.js";
import { ask } from "./dialog.js";
import { time } from "./format.js";
import { badge, freshness, heading, loading, Part } from "./parts.js";
import { permissions } from "./permissions.js";
import { Query } from "./query.js";

const PAGE = 100;
const MOST_PAGES = 10;
const PROJECT_ROLES = ["project-viewer", "project-member", "project-owner"];
const TENANT_ROLES = ["tenant-viewer", "tenant-member", "tenant-owner"];
const PLATFORM_ROLES = ["auditor", "operator", "admin"];

/** Roles that a caller can delegate, the smallest first. The dry run decides. @param {string[]} held */
function delegable(held) {
  if (held.includes("admin")) return [...PROJECT_ROLES, ...TENANT_ROLES, ...PLATFORM_ROLES];
  const upTo = (roles, role) => roles.slice(0, roles.indexOf(role) + 1);
  const level = Math.max(-1, ...held.map((role) => TENANT_ROLES.indexOf(role)));
  const own = Math.max(level, ...held.map((role) => PROJECT_ROLES.indexOf(role)));
  const platform = held.filter((role) => PLATFORM_ROLES.includes(role));
  return [...upTo(PROJECT_ROLES, PROJECT_ROLES[own]), ...upTo(TENANT_ROLES, TENANT_ROLES[level]), ...platform];
}

/** @param {Pick<Api.Schemas["TokenResponse"], "revokedAt" | "expiresAt">} token */
export function standing({ revokedAt, expiresAt }) {
  if (revokedAt) return "REVOKED";
  return Date.parse(expiresAt) > Date.now() ? "ACTIVE" : "EXPIRED";
}

class Tokens extends Part {
  static properties = { me: { attribute: false }, all: { type: Boolean }, projects: { attribute: false } };

  constructor() {
    super();
    /** @type {Api.Schemas["MeResponse"] | null} */
    this.me = null;
    this.all = false;
    /** @type {string[]} names */
    this.projects = [];
    this.pages = 1;
    this.tokens = new Query(this, (signal) => this.#read(signal), { every: 15_000 });
    this.allowed = permissions(this, ["createToken", "revokeToken"]);
  }

  /** @param {AbortSignal} signal */
  async #read(signal) {
    const items = [];
    /** @type {string | null | undefined} */
    let pageToken = null;
    for (let page = 0; page < this.pages; page++) {
      const read = await get("/tokens", { pageSize: PAGE, pageToken }, signal);
      items.push(...read.items);
      pageToken = read.nextPageToken;
      if (!pageToken) break;
    }
    return { items, more: pageToken !== null };
  }

  render() {
    const { value } = this.tokens;
    const shown = value?.items.filter((token) => this.all || standing(token) === "ACTIVE") ?? [];
    const choice = (all, text) => html`<button
      type="button"
      aria-pressed=${this.all === all}
      @click=${() => (location.hash = `#/admin${all ? "?tokens=all" : ""}`)}
    >
      ${text}
    </button>`;
    const create = this.allowed.may("createToken")
      ? html`<button type="button" data-act="createToken" @click=${() => this.#create()}>Create a token</button>`
      : nothing;
    return html`
      <section>
        ${heading(
          "Tokens",
          { path: "/tokens", params: { pageSize: PAGE } },
          "fairlead token list",
          html`<span class="count">${value ? `${shown.length}${value.more ? "+" : ""}` : ""}</span>
            <span class="group" role="group" aria-label="Tokens">${choice(false, "Valid")}${choice(true, "All")}</span>${create}`,
        )}
        ${freshness(this.tokens, "The list of tokens")} ${loading(this.tokens)}
        ${shown.length ? this.#table(shown) : nothing}
        ${value && !shown.length ? html`<p class="quiet">No ${this.all ? "" : "valid "}token exists.</p>` : nothing}
        ${value?.more && this.pages < MOST_PAGES
          ? html`<button type="button" class="more" @click=${() => (this.pages++, this.tokens.refresh(true))}>Show more</button>`
          : nothing}
        ${value?.more && this.pages >= MOST_PAGES
          ? html`<p class="quiet">The newest ${value.items.length} are read. <code>fairlead token list</code> lists all.</p>`
          : nothing}
      </section>
      <fl-action></fl-action>
    `;
  }

  /** @param {Api.Schemas["TokenResponse"][]} tokens */
  #table(tokens) {
    return html`
      <div class="scroll">
        <table class="capacity">
          <caption class="hidden">Tokens</caption>
          <thead>
            <tr>
              <th scope="col">State</th>
              <th scope="col">Name</th>
              <th scope="col">Owner</th>
              <th scope="col">Role</th>
              <th scope="col">Project</th>
              <th scope="col">Created</th>
              <th scope="col">Expires</th>
              <th scope="col"><span class="hidden">Actions</span></th>
            </tr>
          </thead>
          <tbody>
            ${repeat(tokens, (token) => token.id, (token) => this.#row(token))}
          </tbody>
        </table>
      </div>
    `;
  }

  /** @param {Api.Schemas["TokenResponse"]} token */
  #row(token) {
    const state = standing(token);
    return html`<tr data-row title=${token.id}>
      <td>${badge(state)}</td>
      <td dir="auto">${token.name}</td>
      <td><a href=${`#/jobs?${new URLSearchParams({ q: `user:${token.user}` })}`} dir="auto">${token.user}</a></td>
      <td>${token.role}</td>
      <td>${token.project ?? "–"}</td>
      <td>${time(token.createdAt)} <span class="quiet">${token.createdBy}</span></td>
      <td>${time(token.revokedAt ?? token.expiresAt)}</td>
      <td class="number">
        ${state === "ACTIVE" && this.allowed.may("revokeToken")
          ? html`<button type="button" data-act="revokeToken" @click=${() => this.#revoke(token)}>
              Revoke<span class="hidden"> ${token.name} of ${token.user}</span>
            </button>`
          : nothing}
      </td>
    </tr>`;
  }

  /** Only owners of the tenant and administrators create tokens of others. */
  #create() {
    const roles = delegable(this.me.roles ?? []);
    const user = { name: "user", label: "Owner: a person, or sa: and a service account", value: "", optional: true };
    ask(this, {
      title: "Create",
      subject: "token",
      name: "a token",
      effect: "A program with the text of the token acts as its owner, with this role, until it expires or is revoked.",
      fields: [
        { name: "name", label: "Name of the token" },
        ...(this.allowed.all("createToken") ? [user] : []),
        { name: "role", label: "Role", options: roles, value: roles[0] },
        { name: "project", label: "Project of a project role", options: ["", ...this.projects], optional: true },
        { name: "expiresIn", label: "Lifetime, such as 30d", value: "90d" },
      ],
      call: ({ project, ...body }) => ({ method: "POST", path: "/tokens", params: { project }, body }),
      plan: ({ details }) => html`
        <li>${details.user} gets a token with the role ${details.role}${details.project ? ` in project ${details.project}` : ""}.</li>
        <li>It expires at ${time(details.expiresAt)}.</li>
        <li>Its text is shown once, after this step.</li>
      `,
      secret: ({ token }) => token,
      done: () => this.tokens.refresh(true),
    });
  }

  /** @param {Api.Schemas["TokenResponse"]} token */
  #revoke(token) {
    const made = this.#madeWith(token.id);
    ask(this, {
      title: "Revoke",
      subject: "token",
      name: token.name,
      effect: `Within 5 seconds every replica refuses the bearer of this token of ${token.user} and ends its open streams. It cannot be restored.`,
      keep: "Keep the token",
      asks: true,
      validates: false,
      reasons: false,
      call: () => ({ method: "DELETE", path: `/tokens/${token.id}` }),
      plan: () => html`
        <li>${token.name} of ${token.user}: ${badge("ACTIVE")} → ${badge("REVOKED")}</li>
        ${made.map(({ name, user }) => html`<li>${name} of ${user} was created with it and is revoked too.</li>`)}
        ${this.tokens.value.more ? html`<li>So is each token on the pages not shown that was created with it.</li>` : nothing}
      `,
      done: () => this.tokens.refresh(true),
    });
  }

  /** Valid tokens that were created with a token, or with one of those. @param {string} id @returns {Api.Schemas["TokenResponse"][]} */
  #madeWith(id) {
    const valid = this.tokens.value.items.filter((token) => standing(token) === "ACTIVE");
    const found = valid.filter(({ madeBy }) => madeBy === id);
    return found.flatMap((token) => [token, ...this.#madeWith(token.id)]);
  }
}
customElements.define("fl-tokens", Tokens);
