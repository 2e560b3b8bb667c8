package dev.fairlead.care.health.service;

import dev.fairlead.care.health.RepairTask;
import dev.fairlead.care.health.Repairer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A repairer as people read it.
 *
 * @param cluster its name
 * @param signingKey of the calls, in hexadecimal digits; null for those who only read
 * @param open what it is asked for now
 */
public record RepairerView(
    Repairer repairer, String cluster, @Nullable String signingKey, List<RepairTask> open) {
  public RepairerView {
    open = List.copyOf(open);
  }
}
