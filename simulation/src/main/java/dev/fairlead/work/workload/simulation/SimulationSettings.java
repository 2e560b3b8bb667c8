package dev.fairlead.work.workload.simulation;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/** {@code seed} is that of all chance of the simulated clusters. */
@ConfigurationProperties("fairlead.simulation")
record SimulationSettings(@DefaultValue("0") long seed) {}
