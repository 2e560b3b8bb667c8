package dev.fairlead.care.health.service.spi;

import dev.fairlead.care.health.dcgm.PodGpus;
import dev.fairlead.kernel.identity.ClusterId;
import java.util.List;

/** Records which members hold the devices that the DCGM exporter of a cluster shows. */
public interface ExporterHolders {
  /**
   * Stores the devices of the members among these pods, in the caller's transaction. Other pods are
   * ignored.
   *
   * @param reporter name of the actor, for the events
   */
  void exported(ClusterId cluster, List<PodGpus> pods, String reporter);
}
