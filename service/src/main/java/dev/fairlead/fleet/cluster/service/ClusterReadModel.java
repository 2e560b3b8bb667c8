package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetSize;

public record ClusterReadModel(Cluster cluster, FleetSize size) {}
