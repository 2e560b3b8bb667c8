package dev.fairlead.care.health.service.spi;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;

/** Records failed node tests, in the caller's transaction. */
public interface TestFaults {
  /**
   * A node that failed a test.
   *
   * @param run name of the test run, the same in each repeat
   * @param cause explanation
   * @param step repair step
   * @param since start of the test
   * @param gpus number of GPUs of the node that were tested, 0 for all, so that jobs on the others
   *     are not affected
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
   * Opens an incident of the machine, and isolates the node unless a circuit breaker prevents it.
   * Opens no incident if the node was released after the start of the test or no longer exists.
   *
   * @return explanation of the result
   */
  String take(Failed failed, Instant now);
}
