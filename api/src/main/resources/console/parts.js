/** Small pieces that several pages show. Text always goes through templates, which escape it. */
import { html, LitElement, nothing } from "lit";
import { address, curl } from "./api.js";
import { clock, words } from "./format.js";

/** Elements of the console use the page's one stylesheet: no shadow root, no style of their own. */
export class Part extends LitElement {
  createRenderRoot() {
    return this;
  }
}

export const ACTIVE = ["RUNNING", "STARTING", "ADMITTED", "CANCELLING"];
export const WAITING = ["QUEUED", "SUSPENDED"];
export const ENDED = ["SUCCEEDED", "FAILED", "CANCELLED"];

/** @param {string} state of a job, an attempt, a member or a node */
export const badge = (state) =>
  html`<span class="state" data-state=${state}><i aria-hidden="true"></i>${state}</span>`;

/** @param {{id: string, name: string}} job */
export const jobLink = (job) => html`<a href=${`#/jobs/${job.id}`} dir="auto">${job.name}</a>`;

/**
 * What a page says about the age of its data: nothing while the newest read succeeded.
 *
 * @param {import("./query.js").Query<any>} query
 * @param {string} subject such as "The list of jobs"
 */
export function freshness(query, subject) {
  const age = query.at ? ` You see the state of ${clock(query.at)}.` : "";
  if (query.error) {
    const id = query.error.requestId ? ` Request ${query.error.requestId}.` : "";
    return html`<p class="notice bad" role="alert">
      <strong>${subject} could not be read.</strong> ${query.error.message}${id}${age}
      <button type="button" @click=${() => query.refresh(true)}>Retry</button>
    </p>`;
  }
  return query.slow
    ? html`<p class="notice warn" role="status">
        <strong>${subject}: the service has not answered yet.</strong>${age}
      </p>`
    : nothing;
}

/** @param {import("./query.js").Query<any>} query */
export const loading = (query) =>
  query.value === undefined && !query.error ? html`<p class="quiet" aria-busy="true">Loading…</p>` : nothing;

/**
 * A heading with the API call behind what stands below it.
 *
 * @param {string} title
 * @param {import("./api.js").Call} [call]
 * @param {string} [cli]
 * @param {unknown} [more]
 */
export const heading = (title, call, cli, more = nothing) => html`
  <header class="heading">
    <h2>${title}</h2>
    ${more}${call ? html`<fl-call .call=${call} .cli=${cli ?? ""}></fl-call>` : nothing}
  </header>
`;

/** Numbers by name as chips. @param {Record<string, unknown>} numbers */
export const numbers = (numbers) =>
  Object.entries(numbers).map(
    ([name, value]) => html`<span class="chip">${words(name)} <b>${shown(value)}</b></span>`,
  );

const shown = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** @param {[string, unknown][]} rows rows without a value are left out */
export const facts = (rows) => html`
  <dl class="facts">
    ${rows
      .filter(([, value]) => value !== null && value !== undefined && value !== "")
      .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>
`;

/** A part of a whole as a bar. @param {{kind: string, share: number, label: string}[]} parts share 0 to 1 */
export const bar = (parts) => html`
  <span class="bar" role="img" aria-label=${parts.map((p) => p.label).join(", ")}>
    ${parts.map(
      ({ kind, share, label }) =>
        html`<span data-kind=${kind} title=${label} .style=${`flex-grow:${Math.max(0, share)}`}></span>`,
    )}
  </span>
`;

/** The API call behind a number: as an address, for curl and for the command line. */
class CallButton extends Part {
  static properties = { call: { attribute: false }, cli: { attribute: false } };
  static #count = 0;
  #id = `call-${CallButton.#count++}`;

  constructor() {
    super();
    /** @type {import("./api.js").Call} */
    this.call = { path: "" };
    this.cli = "";
  }

  render() {
    const { call, cli } = this;
    return html`
      <button type="button" class="api" popovertarget=${this.#id} title="The API call behind this">
        API
      </button>
      <div popover id=${this.#id} class="call">
        <p><strong>${call.method ?? "GET"}</strong> ${address(call).pathname}${address(call).search}</p>
        ${copyable(curl(call))} ${cli ? copyable(cli) : nothing}
        <p><a href="../swagger-ui.html">Description of the API</a></p>
      </div>
    `;
  }
}
customElements.define("fl-call", CallButton);

/** @param {string} text */
export const copyable = (text) => html`
  <div class="copyable">
    <code>${text}</code>
    <button type="button" @click=${(event) => copy(event.currentTarget, text)}>Copy</button>
  </div>
`;

/** @param {HTMLButtonElement} button @param {string} text */
async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    getSelection()?.selectAllChildren(button.previousElementSibling ?? button);
    button.textContent = "Press Ctrl-C";
  }
  setTimeout(() => (button.textContent = "Copy"), 1500);
}

/** Calls the host's `requestUpdate` once a second, for durations that grow. */
export class Ticker {
  /** @param {import("lit").LitElement} host */
  constructor(host) {
    this.host = host;
    host.addController(this);
  }

  hostConnected() {
    this.timer = setInterval(() => document.hidden || this.host.requestUpdate(), 1000);
  }

  hostDisconnected() {
    clearInterval(this.timer);
  }
}

/** @param {import("./stream.js").EventStream | null} stream the connection of the page shown */
export function connection(stream) {
  if (!stream) return nothing;
  const text = {
    connecting: "Connecting",
    live: "Live",
    cut: `Stream cut at ${clock(stream.since)}, reconnecting`,
  }[stream.state];
  return html`<span class="live" data-live=${stream.state} role="status" title=${stream.problem}>
    <i aria-hidden="true"></i>${text}
  </span>`;
}
