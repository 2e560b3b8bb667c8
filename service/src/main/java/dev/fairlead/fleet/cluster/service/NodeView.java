package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import org.jspecify.annotations.Nullable;

/**
 * A node with its cluster.
 *
 * @param cluster null if the cluster was removed during the read
 */
public record NodeView(Node node, @Nullable Cluster cluster) {}
