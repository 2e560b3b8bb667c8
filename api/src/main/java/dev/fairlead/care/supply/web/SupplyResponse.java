package dev.fairlead.care.supply.web;

import dev.fairlead.care.supply.NodeKind;
import dev.fairlead.care.supply.StockOut;
import dev.fairlead.care.supply.SuppliedNode;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyRequest;
import dev.fairlead.care.supply.SupplyState;
import dev.fairlead.care.supply.service.SupplyView;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.kernel.resources.Quantity;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * How a pool gets nodes that jobs wait for.
 *
 * @param webhook null when the autoscaler of the cluster is asked
 * @param provisioningRequest null when a webhook is asked
 * @param signingKey of the calls, in hexadecimal digits; only in the answer that sets the supply
 * @param room how many more nodes may be asked for
 * @param coming how many were asked for and are not ready
 * @param stockOut set while the supplier has none
 * @param requests the newest first
 */
record SupplyResponse(
    String pool,
    String cluster,
    Kind node,
    int maxNodes,
    String releaseAfter,
    String readyWithin,
    @Nullable Webhook webhook,
    @Nullable Provisioning provisioningRequest,
    @Nullable String signingKey,
    int room,
    int coming,
    @Nullable NoStock stockOut,
    List<Request> requests,
    long version) {
  /**
   * What each node is like.
   *
   * @param gpuMemory of each GPU, null where it is not known
   */
  @Schema(name = "SuppliedNodeKindResponse")
  record Kind(
      String model,
      int gpus,
      @Nullable String gpuMemory,
      CapacityType capacity,
      String cpu,
      String memory,
      SortedMap<String, String> labels) {
    static Kind of(NodeKind kind) {
      return new Kind(
          kind.model(),
          kind.gpus(),
          kind.gpuMemoryMiB() == 0 ? null : Quantity.ofMebibytes(kind.gpuMemoryMiB()),
          kind.capacity(),
          Quantity.ofMilli(kind.offers().cpuMilli()),
          Quantity.ofMebibytes(kind.offers().memoryMiB()),
          kind.labels());
    }
  }

  /** Where the supplier is asked. */
  @Schema(name = "SupplyWebhookResponse")
  record Webhook(String url, @Nullable String caData) {
    static @Nullable Webhook of(Supply.Supplier supplier) {
      return supplier instanceof Supply.Webhook webhook
          ? new Webhook(webhook.url(), webhook.caData())
          : null;
    }
  }

  /** How the autoscaler of the cluster is asked. */
  @Schema(name = "SupplyProvisioningRequestResponse")
  record Provisioning(String className, SortedMap<String, String> parameters) {
    static @Nullable Provisioning of(Supply.Supplier supplier) {
      return supplier instanceof Supply.ProvisioningClass its
          ? new Provisioning(its.className(), its.parameters())
          : null;
    }
  }

  /**
   * The supplier has none until about that time.
   *
   * @param misfit which node came in place of what was asked for, and what is wrong with it
   */
  @Schema(name = "StockOutResponse")
  record NoStock(Instant until, int refusals, @Nullable String misfit) {
    static @Nullable NoStock of(@Nullable StockOut stockOut) {
      return stockOut == null
          ? null
          : new NoStock(stockOut.until(), stockOut.refusals(), stockOut.misfit());
    }
  }

  /**
   * Nodes that were asked for once.
   *
   * @param id the key under which the supplier is asked
   * @param askedFor number of nodes
   * @param settledAt when it became READY, REFUSED or TIMED_OUT
   * @param endedAt when nothing of it was left
   * @param message what the supplier said last, or why it did not
   */
  @Schema(name = "SupplyRequestResponse")
  record Request(
      String id,
      SupplyState state,
      int askedFor,
      Instant askedAt,
      Instant deadline,
      @Nullable Instant settledAt,
      @Nullable Instant endedAt,
      String message,
      List<Delivered> nodes) {
    static Request of(SupplyRequest request) {
      return new Request(
          request.id().text(),
          request.state(),
          request.asked().nodes(),
          request.asked().at(),
          request.asked().deadline(),
          request.settledAt(),
          request.endedAt(),
          request.talk().message(),
          request.delivered().stream().map(Delivered::of).toList());
    }
  }

  /**
   * A node that the supplier named.
   *
   * @param readyAt when it could take jobs first
   * @param emptySince since when it has been empty
   * @param returnedAt when it was given up, to be handed back
   * @param trouble what is wrong with it
   */
  @Schema(name = "SuppliedNodeResponse")
  record Delivered(
      String name,
      @Nullable Instant readyAt,
      @Nullable Instant emptySince,
      @Nullable Instant returnedAt,
      @Nullable String trouble) {
    static Delivered of(SuppliedNode node) {
      return new Delivered(
          node.name(), node.readyAt(), node.emptySince(), node.returnedAt(), node.trouble());
    }
  }

  static SupplyResponse of(SupplyView view) {
    Supply supply = view.supply();
    return new SupplyResponse(
        view.pool(),
        view.cluster(),
        Kind.of(supply.kind()),
        supply.maxNodes(),
        DurationText.of(supply.releaseAfter()),
        DurationText.of(supply.readyWithin()),
        Webhook.of(supply.supplier()),
        Provisioning.of(supply.supplier()),
        view.signingKey(),
        view.offer().room(),
        view.offer().coming(),
        NoStock.of(view.offer().stockOut()),
        view.requests().stream().map(Request::of).toList(),
        supply.version());
  }
}
