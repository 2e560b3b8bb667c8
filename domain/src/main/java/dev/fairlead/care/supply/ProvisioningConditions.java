package dev.fairlead.care.supply;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Interprets the conditions of a {@code ProvisioningRequest} that the cluster autoscaler sets (
 * {@code cluster-autoscaler/provisioningrequest/conditions}).
 *
 * @param held conditions, at most one of each type
 */
public record ProvisioningConditions(List<Condition> held) {
  /** The autoscaler found no such capacity, and would retry on its own. */
  private static final Set<String> NONE_FOUND =
      Set.of("CapacityIsNotFound", "PartialCapacityIsFound");

  /**
   * A condition.
   *
   * @param type such as Accepted, Provisioned, Failed, AdvanceReservationExpired, CapacityRevoked
   * @param status True, False or Unknown
   */
  public record Condition(String type, String status, String reason, String message) {
    private boolean holds() {
      return status.equals("True");
    }

    private String text() {
      return message.isEmpty() ? type + " " + reason : type + " " + reason + ": " + message;
    }
  }

  public ProvisioningConditions {
    held = List.copyOf(held);
  }

  /**
   * Converts the conditions to a response. Capacity that was not found counts as a refusal,
   * although the autoscaler would retry, because Fairlead decides when to retry and requests nodes
   * for other pools in the meantime. An expired advance reservation is not a refusal, because the
   * nodes may be on their way.
   */
  public SupplyAnswer answer() {
    Condition failed = first("Failed");
    Condition revoked = first("CapacityRevoked");
    Condition provisioned = first("Provisioned");
    if (failed != null && failed.holds()) {
      return says(SupplyAnswer.Word.REFUSED, failed);
    }
    if (revoked != null && revoked.holds()) {
      return says(SupplyAnswer.Word.REFUSED, revoked);
    }
    if (provisioned != null && provisioned.holds()) {
      Condition expired = first("AdvanceReservationExpired");
      return says(
          SupplyAnswer.Word.GRANTED, expired != null && expired.holds() ? expired : provisioned);
    }
    if (provisioned != null && NONE_FOUND.contains(provisioned.reason())) {
      return says(SupplyAnswer.Word.REFUSED, provisioned);
    }
    Condition last = provisioned == null ? first("Accepted") : provisioned;
    return last == null
        ? says(SupplyAnswer.Word.PENDING, "no autoscaler has processed the ProvisioningRequest yet")
        : says(SupplyAnswer.Word.PENDING, last);
  }

  private @Nullable Condition first(String type) {
    return held.stream().filter(one -> one.type().equals(type)).findFirst().orElse(null);
  }

  private static SupplyAnswer says(SupplyAnswer.Word word, Condition condition) {
    return says(word, condition.text());
  }

  /** Returns a response without node names. */
  public static SupplyAnswer says(SupplyAnswer.Word word, String message) {
    return new SupplyAnswer.Answered(word, new ArrayList<>(), message, null);
  }

  /** Returns the response for a request that was deleted after it was granted. */
  public static SupplyAnswer gone(String name) {
    return says(
        SupplyAnswer.Word.REFUSED,
        "ProvisioningRequest " + name + " was deleted on the cluster after it was provisioned");
  }

  /** Returns the response for a foreign object with the name of a request. */
  public static SupplyAnswer foreign(String name) {
    return new SupplyAnswer.Unanswered(
        name + " exists but was not created by Fairlead. Nothing was changed. Remove it.");
  }
}
