/**
 * Nodes of a cluster with their GPUs, their reports, and their pools. The state tables of nodes and
 * GPUs are in this package.
 */
@NullMarked
package dev.fairlead.fleet.node;

import org.jspecify.annotations.NullMarked;
