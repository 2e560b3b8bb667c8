package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetSize;

/** A cluster with its size. */
public record ClusterReadModel(Cluster cluster, FleetSize size) {}
