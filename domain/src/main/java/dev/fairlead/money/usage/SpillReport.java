package dev.fairlead.money.usage;

import dev.fairlead.kernel.resources.CapacityType;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reserved capacity, and the usage of hourly capacity in addition. Amounts are thousandths of a GPU
 * times milliseconds.
 *
 * @param finalUntil hours that begin before it no longer change
 */
public record SpillReport(Instant finalUntil, List<Reserved> reserved, List<Spilled> spill) {
  /**
   * Time of reserved GPUs of one model.
   *
   * @param tenant name of the only tenant that may use them, null for all
   */
  public record Reserved(@Nullable String tenant, String model, Map<UsageBucket, Long> buckets) {
    public Reserved {
      buckets = Collections.unmodifiableMap(new EnumMap<>(buckets));
    }
  }

  /**
   * Usage of a tenant.
   *
   * @param tenant its name
   * @param causes usage by cause. Adds up to its total usage
   */
  public record Spilled(
      String tenant, String model, CapacityType capacity, Map<SpillCause, Long> causes) {
    public Spilled {
      causes = Collections.unmodifiableMap(new EnumMap<>(causes));
    }

    public long used() {
      return causes.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Maximum use that reserved capacity could have served. */
    public long servable() {
      return causes.entrySet().stream()
          .filter(cause -> cause.getKey().servable())
          .mapToLong(Map.Entry::getValue)
          .sum();
    }
  }

  public SpillReport {
    reserved = List.copyOf(reserved);
    spill = List.copyOf(spill);
  }
}
