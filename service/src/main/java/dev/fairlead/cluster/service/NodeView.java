package dev.fairlead.cluster.service;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.node.Node;
import org.jspecify.annotations.Nullable;

/**
 * A node with its cluster.
 *
 * @param cluster null when the cluster was removed while its node was read
 */
public record NodeView(Node node, @Nullable Cluster cluster) {}
