package dev.fairlead.care.reservation.service;

import dev.fairlead.care.reservation.AdvanceReservationPurpose;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An advance reservation as a user orders it. The request record of the API implements it. */
public interface AdvanceReservationOrder {
  String name();

  AdvanceReservationPurpose purpose();

  /** Name of the project's tenant, or null for the caller's. */
  @Nullable String tenant();

  /** Name of the project, or null for maintenance. */
  @Nullable String project();

  /** Null for now. */
  @Nullable Instant start();

  /** End of the period, exclusive, or null for a duration. */
  @Nullable Instant end();

  @Nullable Duration duration();

  /** Names or ids, or null to select {@link #count} nodes. */
  @Nullable List<String> nodes();

  /** Name or id, or null for any cluster. */
  @Nullable String cluster();

  /** Name, or null for all nodes with and without a pool. */
  @Nullable String pool();

  /** GPU model, or null for any. */
  @Nullable String model();

  /** Number of nodes, or null for named nodes. */
  @Nullable Integer count();

  /** Null for FINISH. */
  @Nullable LeftoverPolicy leftoverPolicy();

  @Nullable String reason();
}
