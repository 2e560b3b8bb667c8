package dev.fairlead.care.health.service.repair;

import dev.fairlead.care.health.repair.RepairTask;
import dev.fairlead.care.health.repair.Repairer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A repairer for the API.
 *
 * @param cluster name of its cluster
 * @param signingKey key that signs the calls, in hexadecimal, null for callers with read access
 *     only
 * @param open open tasks of the repairer
 */
public record RepairerView(
    Repairer repairer, String cluster, @Nullable String signingKey, List<RepairTask> open) {
  public RepairerView {
    open = List.copyOf(open);
  }
}
