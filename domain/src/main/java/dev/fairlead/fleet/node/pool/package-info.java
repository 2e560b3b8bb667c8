/** Pools of nodes: selection, checks and assignment. */
@NullMarked
package dev.fairlead.fleet.node.pool;

import org.jspecify.annotations.NullMarked;
