package dev.fairlead.care.health.service.spi;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;

/** Takes in what tests of nodes found, in the caller's transaction. */
public interface TestFaults {
  /**
   * A node that failed a test.
   *
   * @param run names the run of the test, the same in each repeat
   * @param cause in words
   * @param step what repairs it
   * @param since when the test began
   * @param gpus of the node that were tested, 0 for all: jobs on the others are left alone
   */
  record Failed(
      ClusterId cluster,
      NodeId node,
      String run,
      String cause,
      RepairStep step,
      Instant since,
      int gpus) {}

  /**
   * The node has an incident of the machine, and is taken out of use unless too many are. One that
   * was released since the test began, or that is gone, has none.
   *
   * @return what was done, for people
   */
  String take(Failed failed, Instant now);
}
