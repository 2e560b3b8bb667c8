package dev.fairlead.work.job.web.spec;

import dev.fairlead.work.spec.TopologySpec;
import org.jspecify.annotations.Nullable;

/** Members together inside one domain of a level. */
record TopologyResponse(String level, TopologySpec.Mode mode) {
  static @Nullable TopologyResponse of(@Nullable TopologySpec topology) {
    return topology == null ? null : new TopologyResponse(topology.level(), topology.mode());
  }
}
