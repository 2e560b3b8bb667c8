package dev.fairlead.work.workload.simulation;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/** Settings of simulated clusters. {@code seed} is the seed of all random values. */
@ConfigurationProperties("fairlead.simulation")
record SimulationSettings(@DefaultValue("0") long seed) {}
