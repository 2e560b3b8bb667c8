package dev.fairlead.cluster.service;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.FleetSize;

/** A cluster with its size. */
public record ClusterView(Cluster cluster, FleetSize size) {}
