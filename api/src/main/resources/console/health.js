/** Faults of GPUs and nodes: open incidents first, each with its cause, isolation and next step. */
import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { get } from "./api.js";
import { between, time, words } from "./format.js";
import { freshness, heading, loading, Part, Ticker } from "./parts.js";
import { Query } from "./query.js";

const PAGE = 50;

class Health extends Part {
  static properties = { params: { attribute: false } };

  constructor() {
    super();
    this.params = new URLSearchParams();
    new Ticker(this);
    this.incidents = new Query(this, (signal) => this.#read(signal), { every: 10_000 });
  }

  /** @returns {import("./api.js").Call & {path: "/incidents"}} */
  #call() {
    const open = this.params.get("all") !== "true";
    return { path: "/incidents", params: { open, node: this.params.get("node"), pageSize: PAGE } };
  }

  /** @param {AbortSignal} signal */
  #read(signal) {
    const { path, params } = this.#call();
    return get(path, params, signal);
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    const before = changed.get("params");
    if (before && this.hasUpdated && String(before) !== String(this.params)) this.incidents.restart();
  }

  render() {
    const all = this.params.get("all") === "true";
    const choice = (value, text) => html`<button
      type="button"
      aria-pressed=${all === value}
      @click=${() => this.#go({ all: value ? "true" : "" })}
    >
      ${text}
    </button>`;
    const node = this.params.get("node");
    return html`
      <div class="title">
        <h1>Health</h1>
        <div class="group" role="group" aria-label="Incidents">${choice(false, "Open")}${choice(true, "All")}</div>
        ${node
          ? html`<button type="button" @click=${() => this.#go({ node: "" })}>Node ${node} ✕</button>`
          : nothing}
      </div>
      ${freshness(this.incidents, "The list of incidents")} ${loading(this.incidents)} ${this.#table()}
    `;
  }

  /** @param {Record<string, string>} changes of the address */
  #go(changes) {
    const params = new URLSearchParams(this.params);
    Object.entries(changes).forEach(([k, v]) => (v ? params.set(k, v) : params.delete(k)));
    location.hash = `#/health${params.size ? `?${params}` : ""}`;
  }

  #table() {
    const { value } = this.incidents;
    if (!value) return nothing;
    const count = html`<span class="count">${value.items.length}${value.nextPageToken ? "+" : ""}</span>`;
    return html`
      <section>
        ${heading("Incidents", this.#call(), "fairlead incident list", count)}
        ${value.items.length ? this.#rows(value.items) : html`<p class="quiet">No incident matches.</p>`}
        ${value.nextPageToken
          ? html`<p class="quiet">The newest ${PAGE} are shown. <code>fairlead incident list</code> lists all.</p>`
          : nothing}
      </section>
    `;
  }

  /** @param {Api.Schemas["IncidentResponse"][]} incidents */
  #rows(incidents) {
    return html`
      <div class="scroll">
        <table class="capacity">
          <caption class="hidden">Incidents</caption>
          <thead>
            <tr>
              <th scope="col">Opened</th>
              <th scope="col">Open for</th>
              <th scope="col">Node</th>
              <th scope="col">GPU</th>
              <th scope="col">Cause</th>
              <th scope="col" class="number">Events</th>
              <th scope="col">Isolation</th>
              <th scope="col">Next step</th>
              <th scope="col">Quarantine until</th>
            </tr>
          </thead>
          <tbody>
            ${repeat(incidents, (incident) => incident.id, (incident) => this.#row(incident))}
          </tbody>
        </table>
      </div>
    `;
  }

  /** @param {Api.Schemas["IncidentResponse"]} incident */
  #row(incident) {
    const { quarantine } = incident;
    const until = quarantine?.releasedAt ? "released" : (quarantine?.until && time(quarantine.until)) || "release";
    return html`
      <tr data-row title=${incident.id}>
        <td>${time(incident.openedAt)}</td>
        <td>${between(incident.openedAt, incident.endedAt)}</td>
        <td>
          <a
            href="#/health"
            dir="auto"
            @click=${(event) => (event.preventDefault(), this.#go({ node: incident.node }))}
            >${incident.node}</a
          >
          <span class="quiet">${incident.cluster}</span>
        </td>
        <td>${incident.serial ?? incident.gpu ?? "–"}</td>
        <td class="why" dir="auto">
          ${incident.cause}
          ${incident.job ? html` <a href=${`#/jobs/${incident.job}`}>job</a>` : nothing}
        </td>
        <td class="number">${incident.events}</td>
        <td class="why" dir="auto">${incident.isolation}</td>
        <td>${incident.step ? words(incident.step) : "–"}</td>
        <td>${quarantine ? until : "–"}</td>
      </tr>
    `;
  }
}
customElements.define("fl-health", Health);
