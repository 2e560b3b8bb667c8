/** The capacity map: what the fleet has, what is free, and which job holds what. */
import { html, nothing } from "lit";
import { get } from "./api.js";
import "./canvas.js";
import { byHolder, byShare, byState, HOLDERS, readFleet, readHolders, SHARES, STATES } from "./fleet.js";
import { amount, percent } from "./format.js";
import { badge, bar, facts, freshness, heading, loading, Part } from "./parts.js";
import { Query } from "./query.js";
import { EventStream } from "./stream.js";

const MODES = { state: "State", share: "Free share", holder: "Job" };
/** Holders are read device by device: of more GPUs than this, of one cluster at a time. */
const MOST_HOLDERS = 20_000;

/**
 * @typedef {{key: unknown[], colours: Uint8Array, legend: any[], kind: string, counts: Map<number, number>}} Painted
 */

class CapacityMap extends Part {
  static properties = { params: { attribute: false }, hover: { state: true } };

  constructor() {
    super();
    /** @type {URLSearchParams} */
    this.params = new URLSearchParams();
    /** @type {import("./fleet.js").Fleet | null} */
    this.partial = null;
    /** @type {Painted | undefined} */
    this.painted = undefined;
    /** @type {{node: number, gpu: number, event: PointerEvent} | null} */
    this.hover = null;
    this.stream = null;
    this.capacity = new Query(this, async (signal) => (await get("/capacity", {}, signal)).items, { every: 15_000 });
    this.fleet = new Query(this, (signal) => this.#readFleet(signal), { every: 20_000, pause: 2_000 });
    this.holders = new Query(this, (signal) => this.#readHolders(signal), { every: 20_000, pause: 3_000 });
    this.node = new Query(this, (signal) => this.#readNode(signal), { every: 15_000 });
  }

  #param = (name) => this.params.get(name) ?? "";

  /** @param {AbortSignal} signal */
  async #readFleet(signal) {
    const begin = Date.now();
    const show = (part) => {
      this.partial = part;
      this.requestUpdate();
    };
    const first = this.fleet.value === undefined;
    const fleet = await readFleet({ cluster: this.#param("cluster") }, signal, first ? show : undefined);
    this.partial = null;
    const took = Date.now() - begin;
    this.fleet.pause = Math.max(2_000, 5 * took);
    this.fleet.every = Math.max(20_000, 10 * took);
    return fleet;
  }

  /** @param {AbortSignal} signal */
  async #readHolders(signal) {
    if (this.#mode() !== "holder" || this.#tooMany()) return new Map();
    return readHolders({ cluster: this.#param("cluster") }, signal);
  }

  /** @param {AbortSignal} signal */
  async #readNode(signal) {
    const node = this.#param("node");
    if (!node) return [];
    return (await get("/gpus", { cluster: this.#param("cluster"), node, pageSize: 100 }, signal)).items;
  }

  #mode() {
    return MODES[this.#param("by")] ? this.#param("by") : "state";
  }

  #tooMany() {
    const total = (this.capacity.value ?? []).reduce((sum, row) => sum + row.total, 0);
    return total > MOST_HOLDERS && !this.#param("cluster");
  }

  connectedCallback() {
    super.connectedCallback();
    const again = () => this.#again();
    const change = () => this.#tell(this.stream);
    this.stream = new EventStream({}, { event: again, gap: again, change });
    this.#tell(this.stream);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.stream?.close();
    this.#tell(null);
  }

  #again() {
    this.capacity.refresh();
    this.fleet.refresh();
    if (this.#mode() === "holder") this.holders.refresh();
    if (this.#param("node")) this.node.refresh();
  }

  #tell(stream) {
    this.dispatchEvent(new CustomEvent("fl-stream", { bubbles: true, detail: stream }));
  }

  willUpdate(changed) {
    const before = changed.get("params");
    if (!before || !this.hasUpdated) return;
    const differs = (name) => before.get(name) !== this.params.get(name);
    if (differs("cluster")) this.fleet.restart();
    if (differs("by") || differs("cluster")) this.holders.restart();
    if (differs("node") || differs("cluster")) this.node.restart();
  }

  /** @param {Record<string, string>} changes of the address */
  #go(changes) {
    const params = new URLSearchParams(this.params);
    Object.entries(changes).forEach(([k, v]) => (v ? params.set(k, v) : params.delete(k)));
    location.hash = `#/map${params.size ? `?${params}` : ""}`;
  }

  /**
   * Colours of GPUs, and what they mean.
   *
   * @param {import("./fleet.js").Fleet} fleet
   * @returns {Painted}
   */
  #painted(fleet) {
    const mode = this.#mode();
    const key = [fleet, mode, this.holders.value];
    if (this.painted?.key.every((part, i) => part === key[i])) return this.painted;
    const counts = new Map();
    if (mode === "share") this.painted = { key, colours: byShare(fleet), legend: SHARES, kind: "share", counts };
    else if (mode === "state") this.painted = { key, colours: byState(fleet), legend: STATES, kind: "use", counts };
    else {
      const { colours, top, jobs } = byHolder(fleet, this.holders.value ?? new Map());
      const others = `${Math.max(0, jobs - HOLDERS)} other jobs`;
      const padded = Array.from({ length: HOLDERS }, (_, i) => top[i] ?? null);
      this.painted = { key, colours, legend: [...padded, others, "no job"], kind: "holder", counts };
    }
    this.painted.colours.forEach((colour) => counts.set(colour, (counts.get(colour) ?? 0) + 1));
    return this.painted;
  }

  /** Reads the colours of the legend, so that the stylesheet alone knows colours. */
  #palette() {
    const swatches = [...this.querySelectorAll(".legend i")];
    const colour = (element, property) => getComputedStyle(element)[property];
    return {
      colours: swatches.map((swatch) => packed(colour(swatch, "backgroundColor"))),
      ground: packed(colour(this.querySelector(".map"), "backgroundColor")),
      text: colour(this, "color"),
      quiet: colour(this.querySelector(".legend"), "color"),
      mark: colour(this.querySelector(".out"), "color"),
      font: colour(this, "fontFamily"),
    };
  }

  render() {
    const fleet = this.fleet.value ?? this.partial;
    return html`
      <div class="title">
        <h1>Capacity</h1>
        ${this.#controls()}
      </div>
      ${freshness(this.capacity, "The capacity")} ${this.#table()} ${freshness(this.fleet, "The list of nodes")}
      ${fleet ? this.#map(fleet) : loading(this.fleet)}
    `;
  }

  #controls() {
    const clusters = [...new Set((this.capacity.value ?? []).map((row) => row.cluster))];
    const by = (mode) => html`<button
      type="button"
      aria-pressed=${this.#mode() === mode}
      @click=${() => this.#go({ by: mode === "state" ? "" : mode })}
    >
      ${MODES[mode]}
    </button>`;
    return html`
      <label
        >Cluster
        <select @change=${(event) => this.#go({ cluster: event.target.value, node: "" })}>
          <option value="">All</option>
          ${clusters.map((name) => html`<option value=${name} ?selected=${name === this.#param("cluster")}>${name}</option>`)}
        </select></label
      >
      <div class="group" role="group" aria-label="Colour by">${Object.keys(MODES).map(by)}</div>
    `;
  }

  #table() {
    const chosen = this.#param("cluster");
    const rows = (this.capacity.value ?? []).filter((row) => !chosen || row.cluster === chosen);
    if (!rows.length) return loading(this.capacity);
    return html`
      <section>
        ${heading("GPUs", { path: "/capacity" }, "fairlead gpus")}
        <div class="scroll">
          <table class="capacity">
            <thead>
              <tr>
                <th scope="col">Cluster</th>
                <th scope="col">Model</th>
                <th scope="col">Capacity</th>
                <th scope="col" class="number">Total</th>
                <th scope="col" class="number">Allocated</th>
                <th scope="col" class="number">Free</th>
                <th scope="col" class="number">Unhealthy</th>
                <th scope="col" class="number">Cordoned</th>
                <th scope="col" class="number">Foreign</th>
                <th scope="col">Largest gang</th>
                <th scope="col">Use</th>
              </tr>
            </thead>
            <tbody>
              ${rows.map((row) => this.#row(row))}
            </tbody>
          </table>
        </div>
      </section>
    `;
  }

  /** @param {Api.Schemas["CapacityResponse"]} row */
  #row(row) {
    const share = (kind, value) => ({ kind, share: value / Math.max(1, row.total), label: `${amount(value)} ${kind}` });
    const out = row.unhealthy + row.cordoned + row.kept + row.spare;
    const parts = [share("allocated", row.allocated), share("foreign", row.foreign), share("out", out), share("free", row.free)];
    const gang = row.largestGang.map((g) => `${g.level} ${g.gpus}`).join(", ");
    return html`<tr data-row>
      <td><a href=${`#/map?${new URLSearchParams({ cluster: row.cluster })}`}>${row.cluster}</a>${row.pool ? html` <span class="chip">${row.pool}</span>` : nothing}</td>
      <td>${row.model}</td>
      <td>${row.capacityType}</td>
      ${[row.total, row.allocated, row.free, row.unhealthy, row.cordoned, row.foreign].map(
        (value) => html`<td class="number" ?data-none=${value === 0}>${amount(value)}</td>`,
      )}
      <td class="quiet">${gang}</td>
      <td class="use">${bar(parts)} ${percent(row.allocated, row.total)}%</td>
    </tr>`;
  }

  /** @param {import("./fleet.js").Fleet} fleet */
  #map(fleet) {
    const painted = this.#painted(fleet);
    const selected = fleet.nodes.findIndex(
      (node) => node.name === this.#param("node") && (!this.#param("cluster") || node.cluster === this.#param("cluster")),
    );
    const zoom = (steps, text, name) => html`<button
      type="button"
      aria-label=${name}
      title=${name}
      @click=${() => /** @type {import("./canvas.js").MapCanvas} */ (this.querySelector("fl-map-canvas")).zoom(steps)}
    >
      ${text}
    </button>`;
    return html`
      <section>
        ${heading(
          "Map",
          { path: "/nodes", params: { cluster: this.#param("cluster"), pageSize: 500 } },
          "fairlead node list -o wide",
          html`<span class="count">${amount(fleet.nodes.length)} nodes, ${amount(fleet.gpus)} GPUs</span>
            ${this.partial ? html`<span class="quiet" role="status">loading</span>` : nothing}
            <div class="group" role="group" aria-label="Size">
              ${zoom(-1, "−", "Smaller")}${zoom(0, "Fit", "Fit")}${zoom(1, "+", "Larger")}
            </div>`,
        )}
        ${this.#legend(painted)}
        <div class="map" data-panel=${selected >= 0 ? "true" : "false"}>
          <fl-map-canvas
            .fleet=${fleet}
            .colours=${painted.colours}
            .palette=${() => this.#palette()}
            .selected=${selected}
            @fl-node=${({ detail }) => this.#go({ node: fleet.nodes[detail]?.name ?? "" })}
            @fl-hover=${({ detail }) => (this.hover = detail)}
          ></fl-map-canvas>
          ${selected >= 0 ? this.#panel(fleet.nodes[selected]) : nothing} ${this.#tip(fleet)}
        </div>
        <p id="map-node" class="hidden" role="status">${selected >= 0 ? spoken(fleet.nodes[selected]) : ""}</p>
      </section>
    `;
  }

  /** @param {Painted} painted */
  #legend({ counts, legend, kind }) {
    const label = (entry) => (entry?.job ? html`<a href=${`#/jobs/${entry.job}`}>${entry.name}</a>` : entry);
    return html`
      <ul class="legend">
        ${legend.map(
          (entry, i) => html`<li ?hidden=${!counts.get(i)}>
            <i data-kind=${kind} data-index=${i} aria-hidden="true"></i>${label(entry)} <b>${amount(counts.get(i) ?? 0)}</b>
          </li>`,
        )}
        <li class="out"><s aria-hidden="true">&emsp;</s> node takes no jobs</li>
      </ul>
      ${kind === "holder" && this.#tooMany()
        ? html`<p class="notice warn">Choose a cluster to see which job holds each GPU.</p>`
        : kind === "holder"
          ? freshness(this.holders, "The holders")
          : nothing}
    `;
  }

  /** @param {import("./fleet.js").Fleet} fleet */
  #tip(fleet) {
    const node = fleet.nodes[this.hover?.node ?? -1];
    if (!node) return nothing;
    const gpu = node.gpus[this.hover.gpu];
    const { clientX, clientY } = this.hover.event;
    const holder = this.holders.value?.get(gpu.serial);
    const left = Math.min(clientX + 14, innerWidth - 280);
    return html`<div class="tip" .style=${`left:${left}px;top:${clientY + 16}px`}>
      <b>${node.name}</b> ${node.state === "ACTIVE" ? "" : node.state}
      <br />${node.model} ${gpu.index}: ${gpu.state.toLowerCase()}, ${amount(gpu.allocated)} allocated
      ${holder ? html`<br />${holder.name}` : nothing}
    </div>`;
  }

  /** @param {import("./fleet.js").FleetNode} node */
  #panel(node) {
    return html`
      <section class="panel" aria-label=${node.name}>
        <header class="heading">
          <h3>${node.name}</h3>
          ${badge(node.state)}
          <fl-call .call=${{ path: "/gpus", params: { node: node.name } }} .cli=${`fairlead gpus --each --node ${node.name}`}></fl-call>
          <button type="button" aria-label="Close" @click=${() => this.#go({ node: "" })}>×</button>
        </header>
        ${facts([
          ["Cluster", node.cluster],
          ["Model", `${node.gpus.length} × ${node.model}`],
          ["Pool", node.pool],
          ...Object.entries(node.topology),
        ])}
        ${freshness(this.node, "The GPUs")} ${loading(this.node)}
        <table>
          <tbody>
            ${(this.node.value ?? []).map(
              (gpu) => html`<tr>
                <td>${gpu.index}</td>
                <td>${badge(gpu.state)}</td>
                <td>${gpu.holders.map(
                    (held) => html`<a href=${`#/jobs/${held.job}`}>${held.name}</a> ${held.member} ${held.fraction < 1 ? `×${amount(held.fraction)}` : ""} `,
                  )}
                  ${gpu.others ? `others ×${amount(gpu.others)}` : ""}</td>
              </tr>`,
            )}
          </tbody>
        </table>
      </section>
    `;
  }
}
customElements.define("fl-map", CapacityMap);

/** A colour as the buffer of a canvas has it: alpha, blue, green, red. @param {string} css rgb(1, 2, 3) */
function packed(css) {
  const [r, g, b] = (css.match(/[\d.]+/g) ?? ["0", "0", "0"]).map(Number);
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

/** @param {import("./fleet.js").FleetNode} node */
const spoken = (node) =>
  `${node.name}, ${node.state}, ${node.gpus.length} ${node.model}, ${amount(node.gpus.reduce((sum, gpu) => sum + gpu.allocated, 0))} allocated`;
