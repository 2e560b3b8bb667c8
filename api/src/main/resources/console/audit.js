/** The audit: who changed what and when, and who was refused; its filters are its address. */
import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { get } from "./api.js";
import { time, word } from "./format.js";
import { badge, freshness, heading, loading, numbers, Part } from "./parts.js";
import { Query } from "./query.js";

const PAGE = 50;
const MOST_PAGES = 10;
const OUTCOMES = ["", "ALLOWED", "DENIED"];

/** Texts of the filter: the parameter of the API, its label, an example. */
const TEXTS = [
  ["actor", "Actor", "ana"],
  ["action", "Action", "createToken"],
  ["object", "Object", "id or name"],
];
const TIMES = [
  ["after", "From"],
  ["before", "Until"],
];

/** Options of the command line by the parameter of the API. Others in an address are left out. */
const FLAGS = { actor: "actor", action: "action", object: "object", outcome: "outcome", after: "since", before: "until" };

/** A time of the address for a field, in the zone of the browser. @param {string | null} iso */
function local(iso) {
  const at = new Date(iso ?? "");
  if (Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

class Audit extends Part {
  static properties = { params: { attribute: false } };

  constructor() {
    super();
    this.params = new URLSearchParams();
    this.pages = 1;
    this.rows = new Query(this, (signal) => this.#read(signal), { every: 10_000 });
  }

  /** @returns {import("./api.js").Call & {path: "/audit"}} */
  #call() {
    const names = [...TEXTS, ...TIMES].map(([name]) => name).concat("outcome");
    const filter = Object.fromEntries(names.map((name) => [name, this.params.get(name)]));
    return { path: "/audit", params: { ...filter, pageSize: PAGE } };
  }

  /** @param {AbortSignal} signal */
  async #read(signal) {
    const { path, params } = this.#call();
    const items = [];
    /** @type {string | null | undefined} */
    let pageToken = null;
    for (let page = 0; page < this.pages; page++) {
      const read = await get(path, { ...params, pageToken }, signal);
      items.push(...read.items);
      pageToken = read.nextPageToken;
      if (!pageToken) break;
    }
    return { items, more: pageToken !== null };
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    const before = changed.get("params");
    if (!before || !this.hasUpdated || String(before) === String(this.params)) return;
    this.pages = 1;
    this.rows.restart();
  }

  render() {
    return html`
      <div class="title"><h1>Audit</h1></div>
      ${this.#filter()} ${freshness(this.rows, "The audit")} ${loading(this.rows)} ${this.#table()}
    `;
  }

  #filter() {
    const value = (name) => this.params.get(name) ?? "";
    return html`
      <form class="filter" role="search" @submit=${(event) => this.#search(event)}>
        ${TEXTS.map(
          ([name, label, example], index) => html`<label
            >${label}<input
              type=${index ? "text" : "search"}
              name=${name}
              placeholder=${example}
              autocomplete="off"
              .value=${value(name)}
          /></label>`,
        )}
        <label
          >Outcome<select name="outcome">
            ${OUTCOMES.map((one) => html`<option value=${one} ?selected=${one === value("outcome")}>${one || "all"}</option>`)}
          </select></label
        >
        ${TIMES.map(
          ([name, label]) => html`<label
            >${label}<input type="datetime-local" name=${name} .value=${local(this.params.get(name))}
          /></label>`,
        )}
        <button>Filter</button>
        ${this.params.size ? html`<a href="#/audit">Clear</a>` : nothing}
      </form>
    `;
  }

  /** @param {SubmitEvent} event */
  #search(event) {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const params = new URLSearchParams();
    for (const [name, typed] of form) {
      const value = String(typed).trim();
      const at = TIMES.some(([time]) => time === name);
      if (value) params.set(name, at ? new Date(value).toISOString() : value);
    }
    location.hash = `#/audit${params.size ? `?${params}` : ""}`;
  }

  #table() {
    const { value } = this.rows;
    if (!value) return nothing;
    const { items, more } = value;
    const count = html`<span class="count">${items.length}${more ? "+" : ""}</span>`;
    return html`
      <section>
        ${heading("Changes and denials", this.#call(), this.#cli(), count)}
        ${items.length ? this.#rows(items) : html`<p class="quiet">No row matches. Without a start, the audit of 31 days is searched.</p>`}
        ${more && this.pages < MOST_PAGES
          ? html`<button type="button" class="more" @click=${() => (this.pages++, this.rows.refresh(true))}>Show more</button>`
          : nothing}
        ${more && this.pages >= MOST_PAGES
          ? html`<p class="quiet">${items.length} rows are shown. Narrow the filter for the others.</p>`
          : nothing}
      </section>
    `;
  }

  #cli() {
    const flags = Object.entries(FLAGS)
      .filter(([name]) => this.params.get(name))
      .map(([name, flag]) => ` --${flag} ${word(this.params.get(name) ?? "")}`);
    return `fairlead audit list${flags.join("")}`;
  }

  /** @param {Api.Schemas["AuditResponse"][]} items */
  #rows(items) {
    return html`
      <div class="scroll">
        <table class="capacity">
          <caption class="hidden">Audit</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Outcome</th>
              <th scope="col">Actor</th>
              <th scope="col">Action</th>
              <th scope="col">Object</th>
              <th scope="col">Detail</th>
              <th scope="col">Address</th>
            </tr>
          </thead>
          <tbody>
            ${repeat(items, (row, index) => `${row.requestId ?? row.at} ${row.action} ${row.object} ${index}`, (row) => this.#row(row))}
          </tbody>
        </table>
      </div>
    `;
  }

  /** @param {Api.Schemas["AuditResponse"]} row */
  #row(row) {
    const { at, outcome, actor, action, object, detail, count, address, requestId, before, after } = row;
    const hashes = before || after ? `before ${before ?? "–"}\nafter ${after ?? "–"}` : "";
    return html`
      <tr data-row title=${hashes}>
        <td>${time(at)}</td>
        <td>${badge(outcome)}${count > 1 ? html` <span class="chip">×${count}</span>` : nothing}</td>
        <td>${this.#link("actor", actor)}</td>
        <td>${this.#link("action", action)}</td>
        <td class="why object">${this.#link("object", object)}</td>
        <td class="why" dir="auto">${numbers(detail)}</td>
        <td title=${requestId ? `request ${requestId}` : ""}>${address ?? "–"}</td>
      </tr>
    `;
  }

  /** The same filter, narrowed to this value. @param {string} name @param {string} value */
  #link(name, value) {
    if (!value) return "–";
    const params = new URLSearchParams(this.params);
    params.set(name, value);
    return html`<a href=${`#/audit?${params}`} dir="auto">${value}</a>`;
  }
}
customElements.define("fl-audit", Audit);
