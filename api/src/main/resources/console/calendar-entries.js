/** What takes nodes out of general use in a period, by the cluster or pool that it concerns. */

/**
 * @typedef {{kind: "project" | "maintenance" | "window", name: string, start: number, end: number | null,
 *   text: string, state: string, href: string | null}} CalendarEntry
 *   times in milliseconds; the end is null while nobody knows it
 * @typedef {{title: string, type: "cluster" | "pool" | "all clusters", lanes: CalendarEntry[][]}} Row
 *   entries of the calendar of one lane do not overlap
 * @typedef {object} Read answers of the API
 * @property {Api.Schemas["AdvanceReservationResponse"][]} reservations
 * @property {Api.Schemas["CampaignResponse"][]} campaigns
 * @property {Api.Schemas["OperationResponse"][]} operations
 * @property {Api.Schemas["ClusterResponse"][]} clusters
 * @property {Api.Schemas["NodeResponse"][]} draining
 * @property {{pool: Api.Schemas["PoolResponse"], openings: Api.Schemas["OpeningResponse"][]}[]} pools
 */

const ENDED = ["DONE", "ABORTED"];

/** The row of work that the API does not assign to a cluster. */
const FLEET = "Fleet";

/**
 * Rows with the entries of the calendar that touch the period: clusters, the whole fleet, pools.
 *
 * @param {Read} read
 * @param {number} from
 * @param {number} to
 * @returns {Row[]}
 */
export function rows(read, from, to) {
  /** @type {Map<string, CalendarEntry[]>} */
  const clusters = new Map();
  /** @param {string} cluster @param {CalendarEntry} slot */
  const add = (cluster, slot) => {
    if (!clusters.has(cluster)) clusters.set(cluster, []);
    clusters.get(cluster).push(slot);
  };
  for (const one of read.reservations) {
    Map.groupBy(one.nodes, ({ cluster }) => cluster).forEach((nodes, cluster) => add(cluster, reservation(one, nodes)));
  }
  const holder = new Map(read.draining.map(({ id, cluster }) => [id, cluster]));
  for (const one of read.operations.filter(({ done }) => !done)) {
    const { type, id, name } = one.subject;
    add(type === "cluster" ? name : (holder.get(id) ?? FLEET), drain(one));
  }
  const active = read.campaigns.filter(({ state }) => !ENDED.includes(state));
  active.forEach((one) => add(FLEET, campaign(one)));
  read.clusters.filter(({ window }) => window).forEach(({ name, window }) => add(name, availability(window)));
  const byCluster = [...clusters]
    .sort(([a], [b]) => (a === FLEET ? 1 : b === FLEET ? -1 : a < b ? -1 : 1))
    .map(([title, found]) => ({ title, type: title === FLEET ? "all clusters" : "cluster", found }));
  const byPool = read.pools.map(({ pool, openings }) => ({ title: pool.name, type: "pool", found: openings.map(opening) }));
  return [...byCluster, ...byPool].map(({ title, type, found }) => ({
    title,
    type: /** @type {Row["type"]} */ (type),
    lanes: lanes(found.filter((one) => touches(one, from, to))),
  }));
}

/** @param {CalendarEntry} slot @param {number} from @param {number} to */
const touches = ({ start, end }, from, to) => start < to && (end === null || end > from);

/** Entries in as few lanes as needed, the earliest first. @param {CalendarEntry[]} found @returns {CalendarEntry[][]} */
export function lanes(found) {
  /** @type {CalendarEntry[][]} */
  const all = [];
  for (const slot of found.toSorted((a, b) => a.start - b.start || (a.name < b.name ? -1 : 1))) {
    const free = all.find((lane) => (lane.at(-1)?.end ?? Infinity) <= slot.start);
    if (free) free.push(slot);
    else all.push([slot]);
  }
  return all;
}

/**
 * @param {Api.Schemas["AdvanceReservationResponse"]} reservation
 * @param {Api.Schemas["BookedNode"][]} nodes of one cluster
 * @returns {CalendarEntry}
 */
function reservation({ name, purpose, project, start, end, state, reason, nodesMissing }, nodes) {
  const missing = nodesMissing ? `, ${nodesMissing} nodes missing` : "";
  return {
    kind: purpose === "MAINTENANCE" ? "maintenance" : "project",
    name,
    start: Date.parse(start),
    end: Date.parse(end),
    text: `${project ? `project ${project}` : "maintenance"}, ${nodes.length} ${nodes.length === 1 ? "node" : "nodes"}${missing}${reason ? `: ${reason}` : ""}`,
    state,
    href: `#/map?${new URLSearchParams({ cluster: nodes[0].cluster, node: nodes[0].name })}`,
  };
}

/** @param {Api.Schemas["OperationResponse"]} operation @returns {CalendarEntry} */
function drain({ subject, createdAt, deadline, metadata, state }) {
  return {
    kind: "maintenance",
    name: `drain of ${subject.name}`,
    start: Date.parse(createdAt),
    end: deadline ? Date.parse(deadline) : null,
    text: metadata.step,
    state,
    href: subject.type === "node" ? `#/map?${new URLSearchParams({ node: subject.name })}` : null,
  };
}

/** @param {Api.Schemas["CampaignResponse"]} campaign @returns {CalendarEntry} */
function campaign({ name, createdAt, nodes, total, reason, state }) {
  return {
    kind: "maintenance",
    name: `campaign ${name}`,
    start: Date.parse(createdAt),
    end: null,
    text: `${nodes.done} of ${total} nodes done: ${reason}`,
    state,
    href: null,
  };
}

/** @param {NonNullable<Api.Schemas["ClusterResponse"]["window"]>} window @returns {CalendarEntry} */
const availability = ({ from, until }) => ({
  kind: "window",
  name: "period of the cluster",
  start: from ? Date.parse(from) : 0,
  end: until ? Date.parse(until) : null,
  text: "jobs start only if they end before its close",
  state: "CURRENT",
  href: null,
});

/** @param {Api.Schemas["OpeningResponse"]} opening @returns {CalendarEntry} */
const opening = ({ start, end, timezone }) => ({
  kind: "window",
  name: "open",
  start: Date.parse(start),
  end: Date.parse(end),
  text: `window of the pool, by the clock of ${timezone}`,
  state: Date.parse(start) <= Date.now() ? "CURRENT" : "UPCOMING",
  href: null,
});
