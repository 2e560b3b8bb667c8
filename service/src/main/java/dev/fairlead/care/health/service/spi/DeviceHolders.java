package dev.fairlead.care.health.service.spi;

import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.NodeAllocations.PodDevices;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.JobId;
import java.util.List;

/** Records which members hold the devices of a node. */
public interface DeviceHolders {
  /**
   * Stores the devices of the members among these pods, in the caller's transaction. Other pods are
   * ignored.
   *
   * @param reporter name of the monitor, for the events
   */
  void reported(NodeId node, List<PodDevices> pods, String reporter);

  /**
   * Returns the members that may hold the device of an open incident of one GPU, because no source
   * reports it.
   */
  List<Candidate> candidates(Incident incident);

  /**
   * A member that may hold a faulty device.
   *
   * @param name name of the job
   * @param member its key, such as {@code worker-3}
   */
  record Candidate(JobId job, String name, String member) {}
}
