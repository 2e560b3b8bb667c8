/** The frame of all pages: routes, sign-in, the state of the connection, keys. */
import { html, nothing } from "lit";
import "./admin.js";
import { UNAUTHENTICATED } from "./api.js";
import "./audit.js";
import "./calendar.js";
import { ZONE } from "./format.js";
import "./health.js";
import "./job.js";
import "./jobs.js";
import "./map.js";
import "./notebooks.js";
import { connection, Part, Ticker } from "./parts.js";
import { caller, EVERY_MS } from "./permissions.js";
import "./quota.js";
import "./service.js";
import "./services.js";
import * as session from "./session.js";
import "./usage.js";

/** Raised by a page that has opened, or closed, its event stream. */
const STREAM = "fl-stream";

/**
 * Pages by their name in the address: the title, the key after g, and the operation of the API
 * without which the page has nothing to show.
 */
const PAGES = /** @type {Record<string, {title: string, key: string, needs?: string}>} */ ({
  jobs: { title: "Jobs", key: "j" },
  services: { title: "Services", key: "s" },
  sessions: { title: "Sessions", key: "n" },
  map: { title: "Capacity", key: "m" },
  calendar: { title: "Calendar", key: "c" },
  quotas: { title: "Quota", key: "q" },
  health: { title: "Health", key: "h", needs: "listIncidents" },
  usage: { title: "Usage", key: "u" },
  audit: { title: "Audit", key: "a", needs: "listAudit" },
  admin: { title: "Administration", key: "d" },
});

const KEYS = [
  ["/", "Search"],
  ["j, k", "Next and previous row"],
  ["Enter", "Open the row"],
  ["Arrows, + and −", "Move and zoom on the map"],
  ["?", "This list"],
];

class Console extends Part {
  static properties = { state: { state: true }, problem: { state: true } };

  constructor() {
    super();
    /** @type {"opening" | "open" | "signedOut"} */
    this.state = "opening";
    this.problem = "";
    /** @type {Api.Schemas["MeResponse"] | null} */
    this.me = null;
    this.stream = null;
    this.gPressed = false;
    new Ticker(this);
    addEventListener("hashchange", () => this.#routed());
    addEventListener("pageshow", (event) => event.persisted && location.reload());
    document.addEventListener(UNAUTHENTICATED, () => (this.state = "signedOut"));
    document.addEventListener("keydown", (event) => this.#pressed(event));
    this.addEventListener(STREAM, (event) => {
      this.stream = /** @type {CustomEvent} */ (event).detail;
      this.requestUpdate();
    });
    setInterval(() => this.state === "open" && !document.hidden && this.#again(), EVERY_MS);
    this.#open();
  }

  async #open() {
    this.problem = "";
    try {
      await session.openSession();
    } catch (failure) {
      this.problem = failure.message;
    }
    await this.#enter();
  }

  async #enter() {
    try {
      this.me = await this.#caller();
      this.problem = "";
      this.state = "open";
    } catch (failure) {
      this.state = "signedOut";
      if (failure.status !== 401) this.problem = failure.message;
    }
  }

  #caller() {
    const needs = Object.values(PAGES).map((page) => page.needs);
    return caller({ operationId: [...needs, "listCampaigns", "listOperations", "listStatements"].filter(Boolean) });
  }

  /** Reads the permissions again. After a failure, and for another caller, the answer is left out. */
  async #again() {
    const before = this.me;
    const me = await this.#caller().catch(() => before);
    if (this.me === before) this.me = me;
    this.requestUpdate();
  }

  /** Another page gets the focus and begins at its top; a change of filters leaves both alone. */
  #routed() {
    this.requestUpdate();
    const { page, id, name } = this.#route();
    const path = `${page}/${id}/${name}`;
    if (path === this.path) return;
    this.path = path;
    this.updateComplete.then(() => {
      this.querySelector("main")?.focus({ preventScroll: true });
      scrollTo(0, 0);
    });
  }

  /** @returns {{page: string, id: string, name: string, params: URLSearchParams}} of the address */
  #route() {
    const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
    const [page = "", id = "", name = ""] = path.split("/").map(decodeURIComponent);
    return { page: page || "jobs", id, name, params: new URLSearchParams(query) };
  }

  /** The pages that the caller may read. */
  #pages() {
    return Object.entries(PAGES).filter(([, { needs }]) => !needs || this.me.allowed?.[needs]);
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = target.closest("input, select, textarea, dialog, fl-map-canvas");
    if (this.state !== "open" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const afterG = this.gPressed;
    this.gPressed = event.key === "g";
    const page = afterG && this.#pages().find(([, { key }]) => key === event.key);
    if (page) location.hash = `#/${page[0]}`;
    else if (event.key === "/") this.#focus(event, this.querySelector("input[type=search]"));
    else if (event.key === "?") this.#showKeys();
    else if (event.key === "j" || event.key === "k") this.#move(event, event.key === "j" ? 1 : -1);
  }

  #showKeys() {
    /** @type {HTMLDialogElement} */ (this.querySelector("#keys")).showModal();
  }

  /** @param {KeyboardEvent} event @param {HTMLElement | null} element */
  #focus(event, element) {
    if (!element) return;
    event.preventDefault();
    element.focus();
  }

  /** @param {KeyboardEvent} event @param {number} step between the links of rows */
  #move(event, step) {
    const rows = /** @type {HTMLElement[]} */ ([...this.querySelectorAll("[data-row] a")]);
    const at = rows.indexOf(/** @type {any} */ (document.activeElement));
    this.#focus(event, rows[Math.min(rows.length - 1, Math.max(0, at + step))] ?? null);
  }

  render() {
    if (this.state === "opening") return html`<main class="center" aria-busy="true">Loading…</main>`;
    if (this.state === "signedOut") return this.#signIn();
    const route = this.#route();
    const { page, id, name } = route;
    this.path ??= `${page}/${id}/${name}`;
    document.title = `${PAGES[page]?.title ?? "Not found"} · Fairlead`;
    return html`
      <a class="skip" href="#content" @click=${(e) => this.#focus(e, this.querySelector("main"))}>
        Skip to the content
      </a>
      ${this.#top(page)}
      <main id="content" tabindex="-1">${this.#page(route)}</main>
      <footer>
        <span>Times in ${ZONE}</span>
        <a href="../swagger-ui.html">API</a>
        <button type="button" class="link" @click=${() => this.#showKeys()}>
          Keys <kbd>?</kbd>
        </button>
      </footer>
      <dialog id="keys" aria-labelledby="keys-title">
        <h2 id="keys-title">Keys</h2>
        <dl class="facts">${this.#keys().map(([k, v]) => html`<div><dt><kbd>${k}</kbd></dt><dd>${v}</dd></div>`)}</dl>
        <form method="dialog"><button>Close</button></form>
      </dialog>
    `;
  }

  #keys() {
    return [...this.#pages().map(([, { title, key }]) => [`g ${key}`, title]), ...KEYS];
  }

  /** @param {string} page */
  #top(page) {
    const link = (to, text) => html`<a
      href=${`#/${to}`}
      aria-current=${page === to ? "page" : nothing}
      >${text}</a
    >`;
    return html`
      <header class="top">
        <a class="brand" href="#/jobs">Fairlead</a>
        <nav aria-label="Pages">
          ${this.#pages().map(([name, { title }]) => link(name, title))}
        </nav>
        ${connection(this.stream)}
        <span class="who" title=${`tenant ${this.me.tenant ?? "–"}; ${(this.me.roles ?? []).join(", ")}`}>
          ${this.me.user}
        </span>
        ${session.hasToken()
          ? html`<button type="button" class="link" @click=${() => this.#signOut()}>Sign out</button>`
          : nothing}
      </header>
    `;
  }

  #page({ page, id, name, params }) {
    if (PAGES[page] && !this.#pages().some(([shown]) => shown === page)) {
      return html`<div class="title"><h1>${PAGES[page].title}</h1></div>
        <p class="notice warn">Your roles (${(this.me.roles ?? []).join(", ")}) do not allow ${PAGES[page].needs}.</p>`;
    }
    if (page === "calendar") {
      return html`<fl-calendar .params=${params} .allowed=${this.me.allowed ?? {}}></fl-calendar>`;
    }
    if (page === "admin" && id) return html`<fl-project .project=${id}></fl-project>`;
    if (page === "admin") return html`<fl-admin .params=${params} .me=${this.me}></fl-admin>`;
    if (page === "audit") return html`<fl-audit .params=${params}></fl-audit>`;
    if (page === "services" && name) {
      return html`<fl-service .project=${id} .service=${name}></fl-service>`;
    }
    if (page === "services") return html`<fl-services .params=${params}></fl-services>`;
    if (page === "map") return html`<fl-map .params=${params}></fl-map>`;
    if (page === "jobs" && id) return html`<fl-job .job=${id} .params=${params}></fl-job>`;
    if (page === "jobs") return html`<fl-jobs .params=${params} .me=${this.me}></fl-jobs>`;
    if (page === "sessions") return html`<fl-sessions .params=${params} .me=${this.me}></fl-sessions>`;
    if (page === "quotas") return html`<fl-quotas></fl-quotas>`;
    if (page === "health") return html`<fl-health .params=${params}></fl-health>`;
    if (page === "usage") return html`<fl-usage .params=${params} .allowed=${this.me.allowed ?? {}}></fl-usage>`;
    return html`<div class="title"><h1>Not found</h1></div>
      <p class="notice warn">There is no page "${page}".</p>`;
  }

  #signOut() {
    session.forgetToken();
    this.state = "signedOut";
  }

  #signIn() {
    return html`
      <main class="center">
        <section class="card sign-in">
          <h1>Fairlead</h1>
          ${this.problem ? html`<p class="notice bad" role="alert">${this.problem}</p>` : nothing}
          ${session.canSignIn()
            ? html`<button type="button" class="primary" @click=${() => this.#leave()}>Sign in</button>
                <p class="quiet">or with a token</p>`
            : nothing}
          <form @submit=${(event) => this.#byToken(event)}>
            <label for="token">API token</label>
            <input id="token" name="token" type="password" autocomplete="off" required />
            <button>Continue</button>
          </form>
          <p class="quiet">The token stays in this tab. <code>fairlead token create</code> makes one.</p>
        </section>
      </main>
    `;
  }

  async #leave() {
    try {
      await session.beginSignIn();
    } catch (failure) {
      this.problem = failure.message;
    }
  }

  /** @param {SubmitEvent} event */
  async #byToken(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    session.useToken(String(new FormData(form).get("token")));
    this.problem = "";
    await this.#enter();
    if (this.state === "signedOut") this.problem ||= "The service does not accept this token.";
  }
}
customElements.define("fl-console", Console);
