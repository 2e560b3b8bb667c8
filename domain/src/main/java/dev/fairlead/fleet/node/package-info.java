/**
 * Nodes of a cluster with their GPUs, what they report, and the pools they are assigned to. The
 * states of each have their table here.
 */
@NullMarked
package dev.fairlead.fleet.node;

import org.jspecify.annotations.NullMarked;
