/** Draws the fleet on a canvas: pixels of GPUs into a buffer, labels above. */
import { html } from "lit";
import { CELLS, fitting, plan, visible } from "./layout.js";
import { Part } from "./parts.js";

/** Width of a letter of labels, about, in CSS pixels. */
const LETTER = 6;
const KEYS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

/**
 * @typedef {{colours: number[], ground: number, text: string, quiet: string, mark: string, font: string}} Palette
 */

/**
 * Raises `fl-node` with the index of a node when one is chosen, `fl-hover` with node and GPU, or
 * null, when the pointer is above another one.
 */
export class MapCanvas extends Part {
  static properties = {
    fleet: { attribute: false },
    colours: { attribute: false },
    palette: { attribute: false },
    selected: { type: Number },
  };

  constructor() {
    super();
    /** @type {import("./fleet.js").Fleet | undefined} */
    this.fleet = undefined;
    /** @type {Uint8Array | undefined} the colour of each GPU, as an index */
    this.colours = undefined;
    /** @type {(() => Palette) | undefined} */
    this.palette = undefined;
    this.selected = -1;
    this.cell = 0;
    /** @type {import("./layout.js").Plan | null} */
    this.plan = null;
    this.frame = 0;
    /** How long the newest frame took, in milliseconds. */
    this.drawn = 0;
    this.theme = matchMedia("(prefers-color-scheme: dark)");
    this.repaint = () => this.draw();
  }

  connectedCallback() {
    super.connectedCallback();
    this.sizes = new ResizeObserver(() => this.#arrange());
    this.theme.addEventListener("change", this.repaint);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.sizes.disconnect();
    this.theme.removeEventListener("change", this.repaint);
  }

  firstUpdated() {
    this.view = this.querySelector(".plane");
    this.canvas = this.querySelector("canvas");
    this.sizes.observe(this.view);
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (changed.has("fleet")) this.#arrange();
    else this.draw();
    if (changed.has("selected") && this.selected >= 0) this.#reveal();
  }

  /** @param {number} steps of size; 0 fits everything */
  zoom(steps) {
    const at = CELLS.indexOf(this.plan?.cell ?? CELLS[0]) + steps;
    this.cell = steps ? CELLS[Math.min(CELLS.length - 1, Math.max(0, at))] : 0;
    this.#arrange();
  }

  #arrange() {
    if (!this.view || !this.fleet) return;
    const width = this.view.clientWidth;
    const { nodes } = this.fleet;
    const cell = this.cell || fitting(nodes, width, this.view.clientHeight);
    this.plan = plan(nodes, width, cell);
    const extent = /** @type {HTMLElement} */ (this.querySelector(".extent"));
    extent.style.height = `${this.plan.height}px`;
    this.draw();
  }

  draw() {
    if (this.frame || !this.plan) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      const begin = performance.now();
      this.#paint();
      this.drawn = performance.now() - begin; // read by the test of frames
    });
  }

  #paint() {
    const { view, canvas, plan: placed } = this;
    const scale = devicePixelRatio || 1;
    const [w, h] = [view.clientWidth, view.clientHeight];
    if (!w || !h || !this.palette) return;
    if (canvas.width !== Math.round(w * scale) || canvas.height !== Math.round(h * scale)) {
      canvas.width = Math.round(w * scale);
      canvas.height = Math.round(h * scale);
      canvas.style.width = `${w}px`;
      canvas.style.height = `${h}px`;
      this.image = null;
    }
    const context = canvas.getContext("2d");
    this.image ??= context.createImageData(canvas.width, canvas.height);
    const pixels = new Uint32Array(this.image.data.buffer);
    const palette = this.palette();
    pixels.fill(palette.ground);
    const top = view.scrollTop;
    const marked = [];
    visible(placed, top, top + h, (index, x, y) => {
      this.#cells(pixels, this.fleet.nodes[index], x, y - top, scale, palette.colours);
      if (this.fleet.nodes[index].state !== "ACTIVE" || index === this.selected) marked.push([index, x, y - top]);
    });
    context.putImageData(this.image, 0, 0);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    this.#labels(context, palette, top, h);
    this.#marks(context, palette, marked);
  }

  /** The GPUs of a node as squares in the buffer: one line of pixels, copied to the lines below. */
  #cells(pixels, node, x, y, scale, colours) {
    const { width, height } = this.canvas;
    const { cell } = this.plan;
    const gap = cell > 4 ? 1 : 0.5;
    const top = Math.max(0, Math.round(y * scale));
    const bottom = Math.min(height, Math.round((y + cell - gap) * scale));
    if (top >= bottom) return;
    const line = top * width;
    const begin = line + Math.round(x * scale);
    const filled = Math.max(1, Math.round((cell - gap) * scale));
    let end = begin;
    for (let i = 0; i < node.gpus.length; i++) {
      const colour = colours[this.colours[node.first + i]];
      const left = line + Math.round((x + i * cell) * scale);
      end = Math.min(left + filled, line + width);
      for (let pixel = left; pixel < end; pixel++) pixels[pixel] = colour;
    }
    for (let row = 1; row < bottom - top; row++) pixels.copyWithin(begin + row * width, begin, end);
  }

  #labels(context, { text, quiet, font }, top, height) {
    context.textBaseline = "top";
    for (const cluster of this.plan.clusters) {
      if (cluster.y > top + height || cluster.y + cluster.h < top) continue;
      const nodes = cluster.last - cluster.first + 1;
      context.font = `600 13px ${font}`;
      context.fillStyle = text;
      context.fillText(cluster.name, 0, cluster.y - top + 4);
      const after = context.measureText(cluster.name).width + 8;
      context.font = `11px ${font}`;
      context.fillStyle = quiet;
      context.fillText(`${nodes} nodes`, after, cluster.y - top + 6);
      for (const block of cluster.blocks) {
        const y = cluster.y + block.y - top;
        const most = Math.floor((block.w + 8) / LETTER);
        if (block.label && y > -block.h && y < height) context.fillText(block.name.slice(0, most), block.x, y);
      }
    }
  }

  /** Nodes that take no jobs have a line through them, the chosen one a frame. */
  #marks(context, { text, mark }, marked) {
    const { cell } = this.plan;
    for (const [index, x, y] of marked) {
      const w = this.fleet.nodes[index].gpus.length * cell;
      context.beginPath();
      context.lineWidth = index === this.selected ? 2 : Math.max(1, cell / 6);
      context.strokeStyle = index === this.selected ? text : mark;
      if (index === this.selected) context.rect(x - 1.5, y - 1.5, w + 2, cell + 2);
      else {
        context.moveTo(x, y + cell / 2);
        context.lineTo(x + w - 1, y + cell / 2);
      }
      context.stroke();
    }
  }

  /** @returns {{node: number, gpu: number} | null} what is drawn there */
  #at(event) {
    const box = this.canvas.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top + this.view.scrollTop];
    const { cell } = this.plan;
    let found = null;
    visible(this.plan, py, py, (index, x, y) => {
      const gpu = Math.floor((px - x) / cell);
      const inside = py >= y && py < y + cell && gpu >= 0 && gpu < this.fleet.nodes[index].gpus.length;
      if (inside) found = { node: index, gpu };
    });
    return found;
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  #pressed(event) {
    const step = KEYS[event.key];
    if (step) this.#step(step);
    else if (event.key === "Home") this.#tell("fl-node", 0);
    else if (event.key === "End") this.#tell("fl-node", this.fleet.nodes.length - 1);
    else if (event.key === "+" || event.key === "=") this.zoom(1);
    else if (event.key === "-") this.zoom(-1);
    else if (event.key === "0") this.zoom(0);
    else return;
    event.preventDefault();
  }

  /** To the nearest node in a direction. */
  #step([dx, dy]) {
    const places = [];
    visible(this.plan, -Infinity, Infinity, (index, x, y) => (places[index] = [x, y]));
    const from = places[this.selected];
    if (!from) return this.#tell("fl-node", 0);
    let best = -1;
    let least = Infinity;
    places.forEach(([x, y], index) => {
      const along = dx * (x - from[0]) + dy * (y - from[1]);
      const aside = Math.abs(dy * (x - from[0])) + Math.abs(dx * (y - from[1]));
      if (along > 0 && along + 4 * aside < least) [best, least] = [index, along + 4 * aside];
    });
    if (best >= 0) this.#tell("fl-node", best);
  }

  /** Scrolls to the chosen node. */
  #reveal() {
    if (!this.plan) return;
    visible(this.plan, -Infinity, Infinity, (index, _, y) => {
      if (index !== this.selected) return;
      const { scrollTop, clientHeight } = this.view;
      if (y < scrollTop || y > scrollTop + clientHeight - 40) this.view.scrollTop = y - clientHeight / 2;
    });
  }

  render() {
    return html`<div
      class="plane"
      tabindex="0"
      role="application"
      aria-label="Capacity map. Arrow keys move between nodes."
      aria-describedby="map-node"
      @scroll=${() => this.draw()}
      @keydown=${(event) => this.#pressed(event)}
      @pointermove=${(event) => this.plan && this.#tell("fl-hover", { ...this.#at(event), event })}
      @pointerleave=${() => this.#tell("fl-hover", null)}
      @click=${(event) => this.#tell("fl-node", this.#at(event)?.node ?? -1)}
    >
      <div class="extent"><canvas></canvas></div>
    </div>`;
  }
}
customElements.define("fl-map-canvas", MapCanvas);
