package dev.fairlead.cluster.service;

import dev.fairlead.cluster.Cluster;

/** A cluster with its size: nodes that are not retired, GPUs on them. */
public record ClusterView(Cluster cluster, int nodes, int gpus) {}
