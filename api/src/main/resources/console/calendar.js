/** The next 14 days: advance reservations, maintenance and drains by cluster, windows by pool. */
import { html, nothing } from "lit";
import { get } from "./api.js";
import { rows } from "./calendar-entries.js";
import { time } from "./format.js";
import { badge, freshness, heading, loading, Part } from "./parts.js";
import { Query } from "./query.js";

const DAY_MS = 86_400_000;
const DAYS = 14;
const LIST = 500;
const OPENINGS = 100;
/** Pools with windows whose openings are read; each is one request. */
const MOST_POOLS = 20;
/** @type {[string, string][]} */
const KINDS = [
  ["", "All"],
  ["project", "Reservations"],
  ["maintenance", "Maintenance"],
  ["window", "Windows"],
];

const DAY = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric" });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** The begin of the day in the zone of the browser. @param {Date} at */
function midnight(at) {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}

class Calendar extends Part {
  static properties = { params: { attribute: false }, allowed: { attribute: false } };

  constructor() {
    super();
    this.params = new URLSearchParams();
    /** @type {Record<string, string>} operations of the caller */
    this.allowed = {};
    this.read = new Query(this, (signal) => this.#read(signal), { every: 30_000 });
  }

  /** @param {Map<string, any>} changed */
  willUpdate(changed) {
    const before = changed.get("allowed");
    if (before && this.hasUpdated && JSON.stringify(before) !== JSON.stringify(this.allowed)) this.read.restart();
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<import("./calendar-entries.js").Read & {cut: boolean, more: boolean}>}
   */
  async #read(signal) {
    let more = false;
    /**
     * @template {string} P
     * @param {P} path
     * @param {Record<string, unknown>} [params]
     * @returns {Promise<Api.Items<P>>}
     */
    const items = async (path, params = {}) => {
      const read = /** @type {any} */ (await get(path, params, signal));
      more ||= Boolean(read.nextPageToken);
      return read.items;
    };
    const [reservations, clusters, pools, draining, campaigns, operations] = await Promise.all([
      items("/advance-reservations"),
      items("/clusters"),
      items("/pools"),
      items("/nodes", { nodeState: "DRAINING", pageSize: LIST }),
      this.allowed.listCampaigns ? items("/campaigns", { pageSize: LIST }) : [],
      this.allowed.listOperations ? items("/operations", { pageSize: LIST }) : [],
    ]);
    const open = pools.filter(({ windows }) => windows.length);
    const openings = await Promise.all(
      open.slice(0, MOST_POOLS).map(async (pool) => ({
        pool,
        openings: await items(`/pools/${pool.id}/windows`, { next: OPENINGS }),
      })),
    );
    return { reservations, clusters, draining, campaigns, operations, pools: openings, cut: open.length > MOST_POOLS, more };
  }

  render() {
    const chosen = this.params.get("kind") ?? "";
    /** @param {[string, string]} kind */
    const choice = ([value, text]) => html`<button
      type="button"
      aria-pressed=${chosen === value}
      @click=${() => (location.hash = `#/calendar${value ? `?kind=${value}` : ""}`)}
    >
      ${text}
    </button>`;
    return html`
      <div class="title">
        <h1>Calendar</h1>
        <div class="group" role="group" aria-label="Entries">${KINDS.map(choice)}</div>
      </div>
      ${freshness(this.read, "The calendar")} ${loading(this.read)} ${this.#content(chosen)}
    `;
  }

  /** @param {string} kind */
  #content(kind) {
    const { value } = this.read;
    if (!value) return nothing;
    const from = midnight(new Date());
    const to = midnight(new Date(from + (DAYS + 0.5) * DAY_MS)); // also where a day has 23 or 25 hours
    const found = rows(value, from, to)
      .map((row) => ({ ...row, lanes: row.lanes.map((lane) => lane.filter((one) => !kind || one.kind === kind)).filter((lane) => lane.length) }))
      .filter((row) => row.lanes.length);
    const entries = found.flatMap((row) => listed(row, kind).map((slot) => ({ row, slot })));
    const count = html`<span class="count">${entries.length}</span>`;
    return html`
      <section>
        ${heading(`${DAYS} days by cluster and pool`, { path: "/advance-reservations" }, "fairlead node reservation list", count)}
        ${found.length ? chart(found, from, to) : html`<p class="quiet">Nothing is reserved in the next ${DAYS} days.</p>`}
        ${value.cut ? html`<p class="quiet">Windows of the first ${MOST_POOLS} pools are shown.</p>` : nothing}
        ${value.more ? html`<p class="quiet">Of operations, campaigns and draining nodes, ${LIST} are read. Others are missing.</p>` : nothing}
      </section>
      ${entries.length ? list(entries, this.allowed.listCampaigns ? "/campaigns" : "/pools") : nothing}
    `;
  }
}
customElements.define("fl-calendar", Calendar);

/** Of a pool that opens daily, a list of everything has the next opening. @param {import("./calendar-entries.js").Row} row @param {string} kind */
function listed({ type, lanes }, kind) {
  const all = lanes.flat();
  if (type !== "pool" || kind || all.length < 2) return all;
  return [{ ...all[0], text: `${all[0].text}; ${all.length - 1} more openings in these days` }];
}

/**
 * The picture. The list below it has the same entries as text.
 *
 * @param {import("./calendar-entries.js").Row[]} found
 * @param {number} from
 * @param {number} to
 */
function chart(found, from, to) {
  /** @param {number} ms */
  const at = (ms) => (100 * (Math.min(Math.max(ms, from), to) - from)) / (to - from);
  const days = Array.from({ length: DAYS }, (_, day) => midnight(new Date(from + (day + 0.5) * DAY_MS)));
  const entries = found.reduce((sum, { lanes }) => sum + lanes.flat().length, 0);
  return html`
    <div class="days" role="img" aria-label=${`${entries} entries in ${DAYS} days, listed below`}>
      <div class="row head">
        <span></span>
        <div class="track">
          ${days.map((day) => html`<span class="day" .style=${`left:${at(day)}%`}>${DAY.format(day)}</span>`)}
        </div>
      </div>
      ${found.map(
        (row) => html`<div class="row">
          <b dir="auto">${row.title}<span class="quiet"> ${row.type}</span></b>
          <div class="track">
            ${days.map((day) => html`<i class="line" .style=${`left:${at(day)}%`}></i>`)}
            <i class="line now" .style=${`left:${at(Date.now())}%`}></i>
            ${row.lanes.map((lane) => html`<div class="lane">${lane.map((slot) => block(slot, at, to))}</div>`)}
          </div>
        </div>`,
      )}
    </div>
    <ul class="legend">
      ${KINDS.slice(1).map(([kind, text]) => html`<li><i data-entry=${kind}></i>${text}</li>`)}
    </ul>
  `;
}

/**
 * @param {import("./calendar-entries.js").CalendarEntry} slot
 * @param {(ms: number) => number} at
 * @param {number} to
 */
function block({ kind, name, start, end, text }, at, to) {
  const left = at(start);
  const title = `${name}: ${FULL.format(start)} to ${end === null ? "an open end" : FULL.format(end)}, ${text}`;
  return html`<span
    class="calendar-entry"
    data-entry=${kind}
    ?data-open=${end === null}
    title=${title}
    .style=${`left:${left}%;width:${at(end ?? to) - left}%`}
    >${name}</span
  >`;
}

/** @typedef {{row: import("./calendar-entries.js").Row, slot: import("./calendar-entries.js").CalendarEntry}} Entry */

/** @param {Entry[]} entries @param {string} path of a read behind them */
const list = (entries, path) => html`
  <section>
    ${heading("Entries", { path }, `fairlead ${path.slice(1)}`)}
    <div class="scroll">
      <table class="capacity">
        <caption class="hidden">Entries</caption>
        <thead>
          <tr>
            <th scope="col">Cluster or pool</th>
            <th scope="col">Entry</th>
            <th scope="col">State</th>
            <th scope="col">From</th>
            <th scope="col">Until</th>
            <th scope="col">What</th>
          </tr>
        </thead>
        <tbody>
          ${entries.toSorted((a, b) => a.slot.start - b.slot.start).map(entry)}
        </tbody>
      </table>
    </div>
  </section>
`;

/** @param {Entry} entry */
const entry = ({ row, slot: { name, state, start, end, text, href } }) => html`<tr data-row>
  <td>${row.title} <span class="quiet">${row.type}</span></td>
  <td>${href ? html`<a href=${href} dir="auto">${name}</a>` : name}</td>
  <td>${badge(state)}</td>
  <td>${start ? time(new Date(start).toISOString()) : "–"}</td>
  <td>${end === null ? "open" : time(new Date(end).toISOString())}</td>
  <td class="why" dir="auto">${text}</td>
</tr>`;
