/** Nodes and GPUs of the fleet as flat arrays, and the colour of each GPU. */
import { get } from "./api.js";

const PAGE = 500;
/** The API pages by 500: this many pages are 250,000 nodes. */
const MOST_PAGES = 500;

/** Colours by index into the legend; 0 to 6 are states, the others shares or holders. */
export const STATES = ["free", "shared", "allocated", "foreign", "degraded", "failed", "unknown"];
export const SHARES = ["none free", "up to 1/4 free", "up to 1/2 free", "up to 3/4 free", "all free"];
export const HOLDERS = 9;

/**
 * @typedef {{name: string, cluster: string, state: string, model: string, pool: string | null,
 *   topology: Record<string, string>, gpus: {serial: string, index: number, state: string, allocated: number}[],
 *   foreign: number, first: number, path: string[]}} FleetNode `first` is the index of its first
 *   GPU among all; `path` is cluster, block and rack
 * @typedef {{nodes: FleetNode[], gpus: number}} Fleet
 */

/**
 * Reads all nodes, page by page.
 *
 * @param {Record<string, unknown>} params
 * @param {AbortSignal} signal
 * @param {(read: Fleet) => void} [part] called with the nodes so far after the first page, and each time
 *   their number has doubled
 * @returns {Promise<Fleet>}
 */
export async function readFleet(params, signal, part) {
  /** @type {FleetNode[]} */
  const nodes = [];
  let shown = 0;
  /** @param {Page} page */
  const read = (page) => get("/nodes", { ...params, ...page }, signal);
  await pages(read, (items) => {
    nodes.push(...items.filter((node) => node.gpus.length && node.state !== "RETIRED").map(fleetNode));
    if (!part || nodes.length < 2 * shown) return;
    shown = nodes.length;
    part(ordered([...nodes]));
  });
  return ordered(nodes);
}

/**
 * Reads which job holds each GPU.
 *
 * @param {Record<string, unknown>} params
 * @param {AbortSignal} signal
 * @returns {Promise<Map<string, {job: string, name: string}>>} by serial number
 */
export async function readHolders(params, signal) {
  /** @type {Map<string, Api.Schemas["HolderResponse"]>} */
  const holders = new Map();
  /** @param {Page} page */
  const read = (page) => get("/gpus", { ...params, ...page }, signal);
  await pages(read, (items) => {
    for (const { serial, holders: found } of items) {
      if (found?.length) holders.set(serial, found[0]);
    }
  });
  return holders;
}

/** @typedef {{pageSize: number, pageToken: string | null | undefined}} Page */

/**
 * @template T
 * @param {(page: Page) => Promise<{items: T[], nextPageToken?: string | null}>} read
 * @param {(items: T[]) => void} each
 */
async function pages(read, each) {
  /** @type {string | null | undefined} */
  let pageToken = null;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { items, nextPageToken } = await read({ pageSize: PAGE, pageToken });
    each(items);
    pageToken = nextPageToken;
    if (!pageToken) return;
  }
}

/** @param {Api.Schemas["NodeResponse"]} node @returns {FleetNode} */
function fleetNode(node) {
  const { block, rack, zone } = node.topology;
  return {
    name: node.name,
    cluster: node.cluster,
    state: node.state,
    model: node.gpuModel ?? "GPU",
    pool: node.pool,
    topology: node.topology,
    gpus: node.gpus,
    foreign: node.foreign?.gpu ?? 0,
    first: 0,
    path: [node.cluster, block ?? zone ?? "", rack ?? ""],
  };
}

/** @param {FleetNode[]} nodes @returns {Fleet} by cluster, block, rack and name */
export function ordered(nodes) {
  const keys = new Map(nodes.map((node) => [node, [...node.path, node.name].join("\u0000")]));
  nodes.sort((a, b) => (keys.get(a) < keys.get(b) ? -1 : 1));
  let gpus = 0;
  for (const node of nodes) {
    node.first = gpus;
    gpus += node.gpus.length;
  }
  return { nodes, gpus };
}

/**
 * The colour of each GPU by its own state and use.
 *
 * @param {Fleet} fleet
 */
export function byState({ nodes, gpus }) {
  const colours = new Uint8Array(gpus);
  for (const node of nodes) {
    let foreign = node.foreign;
    node.gpus.forEach((gpu, i) => {
      colours[node.first + i] = STATES.indexOf(use(node, gpu, () => foreign-- > 0));
    });
  }
  return colours;
}

/** @param {FleetNode} node @param {FleetNode["gpus"][0]} gpu @param {() => boolean} foreign */
function use(node, gpu, foreign) {
  if (gpu.state === "FAILED" || gpu.state === "QUARANTINED") return "failed";
  if (gpu.state === "DEGRADED") return "degraded";
  if (gpu.allocated >= 1) return "allocated";
  if (gpu.allocated > 0) return "shared";
  if (foreign()) return "foreign";
  return gpu.state === "UNKNOWN" || node.state === "UNREACHABLE" ? "unknown" : "free";
}

/** The colour of each GPU by the free share of its node. @param {Fleet} fleet */
export function byShare({ nodes, gpus }) {
  const colours = new Uint8Array(gpus);
  for (const node of nodes) {
    colours.fill(Math.ceil(4 * freeShare(node)), node.first, node.first + node.gpus.length);
  }
  return colours;
}

/** @param {FleetNode} node @returns {number} 0 to 1; a node that takes no jobs has no free GPU */
function freeShare(node) {
  if (node.state !== "ACTIVE") return 0;
  const healthy = node.gpus.filter((gpu) => gpu.state === "HEALTHY");
  const free = healthy.reduce((sum, gpu) => sum + 1 - gpu.allocated, 0) - node.foreign;
  return Math.max(0, free / node.gpus.length);
}

/**
 * The colour of each GPU by the job that holds it: the jobs with most GPUs have colours of their
 * own, all others share the last one; HOLDERS + 1 is free.
 *
 * @param {Fleet} fleet
 * @param {Map<string, {job: string, name: string}>} holders
 */
export function byHolder({ nodes, gpus }, holders) {
  const counts = new Map();
  for (const node of nodes) {
    for (const gpu of node.gpus) {
      const holder = holders.get(gpu.serial);
      if (holder) counts.set(holder.job, { ...holder, gpus: (counts.get(holder.job)?.gpus ?? 0) + 1 });
    }
  }
  const top = [...counts.values()]
    .sort((a, b) => b.gpus - a.gpus || (a.job < b.job ? -1 : 1))
    .slice(0, HOLDERS);
  const index = new Map(top.map((holder, i) => [holder.job, i]));
  const colours = new Uint8Array(gpus);
  for (const node of nodes) {
    node.gpus.forEach((gpu, i) => {
      const holder = holders.get(gpu.serial);
      colours[node.first + i] = holder ? (index.get(holder.job) ?? HOLDERS) : HOLDERS + 1;
    });
  }
  return { colours, top, jobs: counts.size };
}
