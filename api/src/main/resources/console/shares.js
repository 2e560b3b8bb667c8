/** How the queues have shared the GPUs of the last 14 days, from the usage report. */
import { html, nothing } from "lit";
import { get } from "./api.js";
import { amount, percent } from "./format.js";
import { freshness, heading, loading, Part } from "./parts.js";
import { Query } from "./query.js";

const DAY_MS = 86_400_000;
const DAYS = 14;
/** Queues with a colour; the hours of all others are one share. */
const MOST = 9;
const OTHERS = "other queues";
const UTC_DAY = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", timeZone: "UTC" });

/**
 * GPU-hours of each queue by day, most first.
 *
 * @param {Pick<Api.Schemas["UsageRowResponse"], "from" | "group" | "gpuHours">[]} items of days in UTC
 * @param {number} first day in milliseconds
 * @returns {{queue: string, hours: number, days: number[]}[]}
 */
export function shares(items, first) {
  /** @type {Map<string, {queue: string, hours: number, days: number[]}>} */
  const rows = new Map();
  for (const { from, group, gpuHours } of items) {
    const day = Math.floor((Date.parse(from) - first) / DAY_MS);
    if (day < 0 || day >= DAYS) continue;
    const queue = group.queue ?? "–";
    const row = rows.get(queue) ?? { queue, hours: 0, days: Array(DAYS).fill(0) };
    row.hours += gpuHours;
    row.days[day] += gpuHours;
    rows.set(queue, row);
  }
  const sorted = [...rows.values()].sort((a, b) => b.hours - a.hours || (a.queue < b.queue ? -1 : 1));
  const rest = sorted.slice(MOST);
  if (!rest.length) return sorted;
  /** @param {(row: {hours: number, days: number[]}) => number} of */
  const sum = (of) => rest.reduce((all, row) => all + of(row), 0);
  const others = { queue: OTHERS, hours: sum((row) => row.hours), days: rest[0].days.map((_, day) => sum((row) => row.days[day])) };
  return [...sorted.slice(0, MOST), others];
}

const today = () => Math.floor(Date.now() / DAY_MS) * DAY_MS;

class Shares extends Part {
  constructor() {
    super();
    this.usage = new Query(this, (signal) => this.#read(signal), { every: 60_000 });
  }

  /** @param {number} first @returns {import("./api.js").Call & {path: "/usage"}} */
  #call(first) {
    return { path: "/usage", params: { by: "queue", period: "DAY", from: new Date(first).toISOString() } };
  }

  /** @param {AbortSignal} signal */
  async #read(signal) {
    const first = today() - (DAYS - 1) * DAY_MS;
    const { path, params } = this.#call(first);
    return { first, rows: shares((await get(path, params, signal)).items, first) };
  }

  render() {
    const { value } = this.usage;
    return html`
      <section>
        ${heading(
          `Share of the GPU-hours in ${DAYS} days`,
          this.#call(value?.first ?? today() - (DAYS - 1) * DAY_MS),
          `fairlead usage --by queue --period day --since ${DAYS}d`,
        )}
        ${freshness(this.usage, "The use of GPUs")} ${loading(this.usage)}
        ${value?.rows.length ? table(value) : nothing}
        ${value && !value.rows.length ? html`<p class="quiet">No GPU was used in these days.</p>` : nothing}
      </section>
    `;
  }
}
customElements.define("fl-shares", Shares);

/** @param {{first: number, rows: ReturnType<typeof shares>}} usage */
function table({ first, rows }) {
  const days = Array.from({ length: DAYS }, (_, day) => first + day * DAY_MS);
  const totals = days.map((_, day) => rows.reduce((sum, row) => sum + row.days[day], 0));
  const all = totals.reduce((sum, hours) => sum + hours, 0);
  const most = Math.max(...totals);
  return html`
    <div class="scroll">
      <table class="capacity shares">
        <caption class="hidden">Share of the GPU-hours of each day by queue, in UTC</caption>
        <thead>
          <tr>
            <td></td>
            <td></td>
            <td></td>
            ${totals.map((hours, day) => html`<td>${column(rows, day, hours, most)}</td>`)}
          </tr>
          <tr>
            <th scope="col">Queue</th>
            <th scope="col" class="number">GPU-hours</th>
            <th scope="col" class="number">Share</th>
            ${days.map((day) => html`<th scope="col" class="number">${UTC_DAY.format(day)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row, index) => html`<tr data-row>
              <td><i data-kind="holder" data-index=${index} aria-hidden="true"></i>${name(row.queue)}</td>
              <td class="number">${amount(row.hours)}</td>
              <td class="number">${percent(row.hours, all)} %</td>
              ${row.days.map((hours, day) => html`<td class="number">${hours ? `${percent(hours, totals[day])} %` : ""}</td>`)}
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
}

/** @param {string} queue */
const name = (queue) =>
  queue === OTHERS ? queue : html`<a href=${`#/jobs?${new URLSearchParams({ q: `queue:${queue}` })}`} dir="auto">${queue}</a>`;

/**
 * The hours of a day as a column as high as its part of the busiest day.
 *
 * @param {ReturnType<typeof shares>} rows
 * @param {number} day
 * @param {number} hours
 * @param {number} most
 */
const column = (rows, day, hours, most) => html`
  <div class="column" aria-hidden="true" title=${`${amount(hours)} GPU-hours`}>
    ${rows.toReversed().map((row, index) => {
      const height = most ? (60 * row.days[day]) / most : 0;
      return html`<span data-kind="holder" data-index=${rows.length - 1 - index} .style=${`height:${height}px`}></span>`;
    })}
  </div>
`;
