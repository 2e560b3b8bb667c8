package dev.fairlead.care.supply;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the conditions of a {@code ProvisioningRequest} say, as the cluster autoscaler sets them (
 * {@code cluster-autoscaler/provisioningrequest/conditions}).
 *
 * @param held conditions, at most one of each type
 */
public record ProvisioningConditions(List<Condition> held) {
  /** The autoscaler looked and found no such capacity; it would look again by itself. */
  private static final Set<String> NONE_FOUND =
      Set.of("CapacityIsNotFound", "PartialCapacityIsFound");

  /**
   * A condition.
   *
   * @param type such as Accepted, Provisioned, Failed, BookingExpired, CapacityRevoked
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
   * That capacity was not found counts as refused although the autoscaler would go on looking: the
   * wait before the next try is Fairlead's, so that other pools are asked meanwhile. That a booking
   * expired refuses nothing, since the nodes may be on their way.
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
      Condition expired = first("BookingExpired");
      return says(
          SupplyAnswer.Word.GRANTED, expired != null && expired.holds() ? expired : provisioned);
    }
    if (provisioned != null && NONE_FOUND.contains(provisioned.reason())) {
      return says(SupplyAnswer.Word.REFUSED, provisioned);
    }
    Condition last = provisioned == null ? first("Accepted") : provisioned;
    return last == null
        ? says(SupplyAnswer.Word.PENDING, "no autoscaler has answered the ProvisioningRequest yet")
        : says(SupplyAnswer.Word.PENDING, last);
  }

  private @Nullable Condition first(String type) {
    return held.stream().filter(one -> one.type().equals(type)).findFirst().orElse(null);
  }

  private static SupplyAnswer says(SupplyAnswer.Word word, Condition condition) {
    return says(word, condition.text());
  }

  /** An answer that names no nodes. */
  public static SupplyAnswer says(SupplyAnswer.Word word, String message) {
    return new SupplyAnswer.Answered(word, new ArrayList<>(), message, null);
  }

  /** Of a request that is not there any more after it was granted. */
  public static SupplyAnswer gone(String name) {
    return says(
        SupplyAnswer.Word.REFUSED,
        "ProvisioningRequest " + name + " was deleted on the cluster after it was provisioned");
  }

  /** Of an object under the name of a request that is not the request. */
  public static SupplyAnswer foreign(String name) {
    return new SupplyAnswer.Unanswered(
        name + " is there and is not Fairlead's; nothing of it was changed: remove it");
  }
}
