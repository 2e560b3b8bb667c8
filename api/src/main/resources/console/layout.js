/** Places clusters, blocks, racks and nodes on the plane. Pure: the same fleet gives the same plan. */

/** A node is a row of GPUs, a rack a column of nodes, as in the room. */
const NODES_IN_COLUMN = 16;
const CLUSTER_LABEL = 26;
const CLUSTER_GAP = 14;

/** Sizes of a GPU in CSS pixels, the gap included. */
export const CELLS = [3, 4, 6, 8, 11, 15, 20];

/**
 * @typedef {{x: number, y: number, w: number, h: number}} Box
 * @typedef {Box & {name: string, racks: Rack[], label: number}} Block
 * @typedef {Box & {name: string, nodes: number[], columns: number, rows: number, wide: number}} Rack
 *   `nodes` are indexes into the fleet; `wide` is the most GPUs of a node
 * @typedef {Box & {name: string, blocks: Block[], first: number, last: number}} Cluster
 * @typedef {{clusters: Cluster[], cell: number, height: number}} Plan
 */

/**
 * @param {import("./fleet.js").FleetNode[]} nodes ordered by path
 * @param {number} width of the plane
 * @param {number} cell
 * @returns {Plan}
 */
export function plan(nodes, width, cell) {
  const label = cell >= 6 ? 15 : 0;
  const gap = Math.max(3, Math.round(cell * 0.8));
  const clusters = grouped(nodes).map(([name, blocks]) => {
    const placed = blocks.map(([block, racks]) => {
      const boxes = racks.map(([rack, members]) => rackBox(rack, members, nodes, cell));
      const { w, h } = flow(boxes, width, gap, 0);
      return { name: block, racks: boxes, label, x: 0, y: 0, w, h: h + label };
    });
    const { h } = flow(placed, width, gap * 3, CLUSTER_LABEL);
    const members = placed.flatMap((block) => block.racks.flatMap((rack) => rack.nodes));
    return { name, blocks: placed, first: members[0], last: members.at(-1) ?? 0, x: 0, y: 0, w: width, h };
  });
  let y = 0;
  for (const cluster of clusters) {
    cluster.y = y;
    y += cluster.h + CLUSTER_GAP;
  }
  return { clusters, cell, height: y };
}

/** The largest cell with which everything fits into the height, or the smallest one. */
export function fitting(nodes, width, height) {
  const fits = CELLS.toReversed().find((cell) => plan(nodes, width, cell).height <= height);
  return fits ?? CELLS[0];
}

function grouped(nodes) {
  const clusters = new Map();
  nodes.forEach(({ path: [cluster, block, rack] }, index) => {
    const blocks = entry(clusters, cluster, () => new Map());
    entry(entry(blocks, block, () => new Map()), rack, () => []).push(index);
  });
  return [...clusters].map(([name, blocks]) => [name, [...blocks].map(([b, racks]) => [b, [...racks]])]);
}

function entry(map, key, made) {
  if (!map.has(key)) map.set(key, made());
  return map.get(key);
}

/** @returns {Rack} */
function rackBox(name, members, nodes, cell) {
  const wide = members.reduce((most, index) => Math.max(most, nodes[index].gpus.length), 1);
  const columns = Math.ceil(members.length / NODES_IN_COLUMN);
  const rows = Math.ceil(members.length / columns);
  const w = columns * wide * cell + (columns - 1) * cell;
  return { name, nodes: members, columns, rows, wide, x: 0, y: 0, w, h: rows * cell };
}

/** Places boxes in lines, as words in a paragraph. @param {Box[]} boxes */
function flow(boxes, width, gap, top) {
  let x = 0;
  let y = top;
  let line = 0;
  let widest = 0;
  for (const box of boxes) {
    if (x > 0 && x + box.w > width) {
      x = 0;
      y += line + gap;
      line = 0;
    }
    box.x = x;
    box.y = y;
    x += box.w + gap;
    line = Math.max(line, box.h);
    widest = Math.max(widest, box.x + box.w);
  }
  return { w: widest, h: y + line };
}

/**
 * Calls `each` with every node whose rack touches the strip, and its place.
 *
 * @param {Plan} plan
 * @param {number} from
 * @param {number} to
 * @param {(node: number, x: number, y: number) => void} each
 */
export function visible({ clusters, cell }, from, to, each) {
  for (const cluster of clusters) {
    if (cluster.y > to || cluster.y + cluster.h < from) continue;
    for (const block of cluster.blocks) {
      const top = cluster.y + block.y;
      if (top > to || top + block.h < from) continue;
      for (const rack of block.racks) {
        const y = top + block.label + rack.y;
        if (y > to || y + rack.h < from) continue;
        rack.nodes.forEach((node, i) => {
          const column = Math.floor(i / rack.rows);
          each(node, block.x + rack.x + column * (rack.wide + 1) * cell, y + (i % rack.rows) * cell);
        });
      }
    }
  }
}
